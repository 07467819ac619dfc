/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import io.github.spd4j.experiments.Pace;
import io.github.spd4j.experiments.UserException;
import io.github.spd4j.internal.files.AtomicFile;
import io.github.spd4j.internal.files.OwnFolder;
import io.github.spd4j.internal.images.Png;
import io.github.spd4j.models.Engine;
import io.github.spd4j.predictions.Classification;
import io.github.spd4j.predictions.ImageClassifier;
import io.github.spd4j.predictions.PreparedImage;
import io.github.spd4j.predictions.PreparedImages;
import io.github.spd4j.reports.HtmlPage;
import io.github.spd4j.reports.OutputFile;
import io.github.spd4j.reports.Printable;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code spd predict}. */
@Command(
    name = "predict",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    description = "Classifies images with a trained model.")
public final class PredictCommand implements Callable<Integer> {

  private static final String SORT = "--sort-into";
  private static final String UNSURE = "--unsure-below";

  /** What sorts pictures if nothing is known of the model. */
  private static final double SURE = 0.5;

  @Spec private CommandSpec spec;

  @Parameters(index = "0", paramLabel = "MODEL", description = "A run's folder or its model.zip.")
  private Path place;

  @Parameters(
      index = "1..*",
      arity = "1..*",
      paramLabel = "PICTURES",
      description =
          "Files, folders (all pictures in them and below), patterns such as '**/*.jpg', or -:"
              + " names of files from standard input, a line each, answered as they come.")
  private List<String> pictures;

  @Option(
      names = "--top",
      paramLabel = "N",
      description = "How many classes to print, the most probable first.")
  private int top = 3;

  @Option(
      names = "--explain",
      paramLabel = "FOLDER",
      description = "Write pictures to this folder that show which places of an image decided.")
  private Path folder;

  @Option(
      names = "--csv",
      paramLabel = "FILE",
      description =
          "Write the probabilities of all classes to this file, a line for each picture; - is"
              + " standard output.")
  private Path csv;

  @Option(names = "--json", paramLabel = "FILE", description = "The same as JSON.")
  private Path json;

  @Option(
      names = SORT,
      paramLabel = "FOLDER",
      description =
          "Copy each picture to a folder of its class in this one, or to '"
              + SortedPictures.UNSURE
              + "' there.")
  private Path sorted;

  @Option(
      names = UNSURE,
      paramLabel = "PERCENT",
      description =
          "An answer that is less probable is unsure. Unless set, what the model's validation"
              + " images call for; for --sort-into 50 if they call for nothing.")
  private Double unsureBelow;

  @Option(
      names = "--engine",
      paramLabel = "NAME",
      description =
          "What computes the answers: ${COMPLETION-CANDIDATES}. AUTO is ONNXRUNTIME on a CPU; a"
              + " network that it cannot compute stays with DL4J.")
  private Engine engine = Engine.AUTO;

  /** Where answers are until all are there. */
  private final List<AtomicFile.Growing> growing = new ArrayList<>();

  /** For picocli. */
  public PredictCommand() {}

  @Override
  public Integer call() throws IOException {
    try {
      return classify();
    } finally {
      growing.forEach(AtomicFile.Growing::close);
    }
  }

  private Integer classify() throws IOException {
    if (top < 1) {
      throw new UserException("--top needs at least 1, got " + top);
    }
    if (unsureBelow != null && !(unsureBelow >= 0 && unsureBelow <= 100)) {
      throw new UserException(UNSURE + " needs 0 to 100 percent, got " + unsureBelow);
    }
    PictureNames asked = new PictureNames(pictures, System.in);
    ImageClassifier classifier = TrainedModel.load(place, engine);
    if (folder != null && !classifier.explains()) {
      throw new UserException(
          "--explain needs a model that says where its backbone ends, as ./spd train writes it;"
              + " leave --explain out");
    }
    List<Consumer<Answer>> outputs = new ArrayList<>();
    List<Runnable> ends = new ArrayList<>();
    open(classifier, outputs, ends);
    Interruption.keep(spec, growing.stream().map(AtomicFile.Growing::soFar).toList());
    int pictures = 0;
    int unread = 0;
    Pace pace = new Pace("pictures");
    long start = System.nanoTime();
    while (asked.hasNext()) {
      List<Path> some = asked.next();
      try (PreparedImages ahead = classifier.prepareAhead(some)) {
        for (Path file : some) {
          Answer answer = classify(classifier, file, ahead);
          pictures++;
          unread += answer.isThere() ? 0 : 1;
          outputs.forEach(output -> output.accept(answer));
          requireReader(ends.isEmpty());
          if (!asked.isPiped()) { // of others nobody knows how many come
            pace.step(pictures, some.size()).ifPresent(this::say);
          }
        }
      }
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    ends.forEach(Runnable::run);
    Interruption.keep(spec, List.of());
    say(
        String.format(
            Locale.ROOT,
            "%d of %d pictures classified, %.1f a second",
            pictures - unread,
            pictures,
            (pictures - unread) / seconds));
    requireReader(true);
    return unread == 0 ? 0 : Commands.USER_ERROR;
  }

  /** To the person at the terminal, and never among the answers. */
  private void say(String line) {
    Terminal.say(spec.commandLine().getErr(), line);
  }

  private static void requireReader(boolean now) {
    if (now && System.out.checkError()) { // it says nothing by itself
      throw new UserException(
          "the answers cannot be printed: expected a disk that is not full, or a reader that"
              + " takes them all; --csv FILE writes them to a file");
    }
  }

  /** Opens all places for answers: better now than when all is done. */
  private void open(
      ImageClassifier classifier, List<Consumer<Answer>> outputs, List<Runnable> ends) {
    if (csv != null && json != null && csv.toAbsolutePath().equals(json.toAbsolutePath())) {
      throw new UserException("--csv and --json need two files, got " + csv);
    }
    if (!AnswerOutput.isPrinted(csv) && !AnswerOutput.isPrinted(json)) {
      outputs.add(this::print);
    }
    List<String> classes = classifier.classes();
    OutputFile table = place("--csv", csv, AnswerFormat.CSV_BEGINNING, EarlierAnswers.CSV);
    OutputFile list = place("--json", json, AnswerFormat.JSON_BEGINNING, EarlierAnswers.JSON);
    OwnFolder own = folder == null ? null : OwnFolder.claim("--explain", folder);
    SortedPictures copies = sorted == null ? null : new SortedPictures(SORT, sorted, classes);
    // From here on nothing is refused.
    open(csv, table, AnswerFormat.csv(classes), outputs, ends);
    open(json, list, AnswerFormat.json(classes), outputs, ends);
    if (folder != null) {
      List<Answer> answers = new ArrayList<>();
      outputs.add(answer -> Stream.of(answer).filter(Answer::isThere).forEach(answers::add));
      ends.add(() -> explain(classifier, answers, own));
    }
    if (sorted != null) {
      boolean isKnown = classifier.card().confidence().unsureBelow() > 0;
      double usual = unsureBelow != null || isKnown ? 0 : SURE;
      outputs.add(answer -> sort(answer, copies, usual));
      ends.add(() -> say("Sorted into: " + sorted));
    }
  }

  private static OutputFile place(
      String option, Path file, String beginning, OutputFile.Kind kind) {
    return file == null || AnswerOutput.isPrinted(file)
        ? null
        : OutputFile.at(option, file, beginning, kind);
  }

  private void open(
      Path asked,
      OutputFile file,
      AnswerFormat format,
      List<Consumer<Answer>> outputs,
      List<Runnable> ends) {
    if (asked != null) {
      AnswerOutput output = output(file, format);
      outputs.add(output::add);
      ends.add(output::end);
    }
  }

  private AnswerOutput output(OutputFile file, AnswerFormat format) {
    if (file == null) {
      return AnswerOutput.printed(format, spec.commandLine().getOut());
    }
    growing.add(file.grow());
    return AnswerOutput.file(format, growing.get(growing.size() - 1));
  }

  /** What a model says of a picture; one that cannot be read does not stop the others. */
  private Answer classify(ImageClassifier classifier, Path file, PreparedImages ahead) {
    try {
      PreparedImage image = ahead.next();
      Classification answer =
          TrainedModel.ask(place, () -> classifier.classifyTogether(List.of(image)).get(0));
      double limit =
          unsureBelow == null ? classifier.card().confidence().unsureBelow() : unsureBelow / 100;
      return new Answer(file, answer, null, answer.doubt(limit).orElse(""));
    } catch (UncheckedIOException e) {
      say("Not classified: " + e.getCause().getMessage());
      return new Answer(file, null, e.getCause().getMessage(), "");
    }
  }

  private void print(Answer answer) {
    if (answer.isThere()) {
      PrintWriter out = spec.commandLine().getOut();
      String doubt = answer.doubt().isEmpty() ? "" : " (" + answer.doubt() + ")";
      out.print(
          Printable.of(answer.picture() + ": " + line(answer.classification()) + doubt) + "\n");
      out.flush();
    }
  }

  private void sort(Answer answer, SortedPictures copies, double usual) {
    if (answer.isThere()) {
      Classification classification = answer.classification();
      boolean sure = answer.doubt().isEmpty() && !classification.isUnsure(usual);
      copies.add(answer.picture(), sure ? classification.label() : null);
    }
  }

  /** The most probable classes, the first one first. */
  private String line(Classification answer) {
    return answer.probabilities().entrySet().stream()
        .limit(top)
        .map(
            share ->
                String.format(Locale.ROOT, "%s %.1f %%", share.getKey(), 100 * share.getValue()))
        .collect(Collectors.joining(", "));
  }

  private void explain(ImageClassifier classifier, List<Answer> answers, OwnFolder own) {
    if (answers.isEmpty()) {
      return;
    }
    HtmlPage page = new HtmlPage("Which places decided");
    page.paragraph(
        "Red speaks for the predicted class, blue against it. The bar on each picture is its scale:"
            + " from the most that any of its places counts against the class (−) over nothing"
            + " (white) to as much for it (+). Each place of the feature maps sees a larger part of"
            + " the image than the square that it is drawn on.");
    List<String> names = new ArrayList<>(List.of("index.html"));
    answers.forEach(answer -> names.add(fileName(names.size(), answer.picture())));
    own.own(names.toArray(String[]::new));
    int number = 0;
    for (Answer answer : answers) {
      BufferedImage picture = explanation(classifier, answer.picture());
      AtomicFile.write(own.path().resolve(names.get(++number)), Png.bytes(picture));
      page.figure(picture, answer.picture() + ": " + line(answer.classification()));
    }
    AtomicFile.write(own.path().resolve(names.get(0)), page.html());
    say("Explanations: " + folder.resolve("index.html"));
  }

  private BufferedImage explanation(ImageClassifier classifier, Path file) {
    return TrainedModel.ask(
        place,
        () -> {
          try {
            return classifier.explain(file);
          } catch (IOException e) { // it could be read a moment ago
            throw new UserException(e.getMessage(), e);
          }
        });
  }

  /** Two images may have the same name. */
  private static String fileName(int number, Path image) {
    String stem = image.getFileName().toString().replaceFirst("\\.[^.]*$", "");
    return String.format(Locale.ROOT, "%03d-%s.png", number, SortedPictures.name(stem));
  }
}
