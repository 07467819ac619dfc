/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import io.github.spd4j.experiments.PicturePaths;
import io.github.spd4j.experiments.UserException;
import io.github.spd4j.internal.files.AtomicFile;
import io.github.spd4j.internal.files.OwnFolder;
import io.github.spd4j.internal.images.Png;
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
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
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

  /** In bytes; a number and an ending follow. */
  private static final int LONGEST_STEM = 200;

  @Spec private CommandSpec spec;

  @Parameters(index = "0", paramLabel = "MODEL", description = "A run's folder or its model.zip.")
  private Path place;

  @Parameters(
      index = "1..*",
      arity = "1..*",
      paramLabel = "PICTURES",
      description =
          "Files, folders (all pictures in them and below), or patterns such as '**/*.jpg'.")
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
      description = "Write the probabilities of all classes to this file, a line for each picture.")
  private Path csv;

  @Option(names = "--json", paramLabel = "FILE", description = "The same as JSON.")
  private Path json;

  /** For picocli. */
  public PredictCommand() {}

  @Override
  public Integer call() {
    if (top < 1) {
      throw new UserException("--top needs at least 1, got " + top);
    }
    List<Path> asked = PicturePaths.of(pictures);
    ImageClassifier classifier = TrainedModel.load(place);
    if (folder != null && !classifier.explains()) {
      throw new UserException(
          "--explain needs a model that says where its backbone ends, as ./spd train writes it;"
              + " leave --explain out");
    }
    Places places = requirePlaces();
    Map<Path, Classification> answers = new LinkedHashMap<>();
    long start = System.nanoTime();
    try (PreparedImages ahead = classifier.prepareAhead(asked)) {
      asked.forEach(file -> classify(classifier, file, ahead, answers));
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    PredictionFiles files = new PredictionFiles(classifier.classes(), answers);
    places.csv().ifPresent(file -> file.write(files.csv()));
    places.json().ifPresent(file -> file.write(files.json()));
    PrintWriter out = spec.commandLine().getOut();
    if (folder != null && !answers.isEmpty()) {
      explain(classifier, answers, places.explanations().orElseThrow());
      out.println("Explanations: " + Printable.of(folder.resolve("index.html")));
    }
    int unread = asked.size() - answers.size();
    out.printf(
        Locale.ROOT,
        "%d of %d pictures classified, %.1f a second%n",
        answers.size(),
        asked.size(),
        answers.size() / seconds);
    out.flush();
    if (System.out.checkError()) { // it says nothing by itself
      throw new UserException(
          "the answers cannot be printed: expected a disk that is not full, or a reader that"
              + " takes them all; --csv FILE writes them to a file");
    }
    return unread == 0 ? 0 : Commands.USER_ERROR;
  }

  /** Better now than when all is done. */
  private Places requirePlaces() {
    if (csv != null && json != null && csv.toAbsolutePath().equals(json.toAbsolutePath())) {
      throw new UserException("--csv and --json need two files, got " + csv);
    }
    return new Places(
        Optional.ofNullable(csv).map(PredictionFiles::csvAt),
        Optional.ofNullable(json).map(PredictionFiles::jsonAt),
        Optional.ofNullable(folder).map(path -> OwnFolder.claim("--explain", path)));
  }

  /** Where answers go. */
  private record Places(
      Optional<OutputFile> csv, Optional<OutputFile> json, Optional<OwnFolder> explanations) {}

  /** Prints the answer at once; a picture that cannot be read is named, and the others go on. */
  private void classify(
      ImageClassifier classifier,
      Path file,
      PreparedImages ahead,
      Map<Path, Classification> answers) {
    try {
      PreparedImage image = ahead.next();
      Classification answer =
          TrainedModel.ask(place, () -> classifier.classifyTogether(List.of(image)).get(0));
      answers.put(file, answer);
      PrintWriter out = spec.commandLine().getOut();
      out.println(Printable.of(file + ": " + line(answer)));
      out.flush();
    } catch (UncheckedIOException e) {
      PrintWriter err = spec.commandLine().getErr();
      err.println("Not classified: " + Printable.of(e.getCause().getMessage()));
      err.flush();
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

  private void explain(
      ImageClassifier classifier, Map<Path, Classification> answers, OwnFolder own) {
    HtmlPage page = new HtmlPage("Which places decided");
    page.paragraph(
        "Red speaks for the predicted class, blue against it. The bar on each picture is its scale:"
            + " from the most that any of its places counts against the class (−) over nothing"
            + " (white) to as much for it (+). Each place of the feature maps sees a larger part of"
            + " the image than the square that it is drawn on.");
    List<String> names = new ArrayList<>(List.of("index.html"));
    answers.keySet().forEach(picture -> names.add(fileName(names.size(), picture)));
    own.own(names.toArray(String[]::new));
    int number = 0;
    for (Map.Entry<Path, Classification> answer : answers.entrySet()) {
      BufferedImage picture = explanation(classifier, answer.getKey());
      AtomicFile.write(own.path().resolve(names.get(++number)), Png.bytes(picture));
      page.figure(picture, answer.getKey() + ": " + line(answer.getValue()));
    }
    AtomicFile.write(own.path().resolve(names.get(0)), page.html());
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

  /** Two images may have the same name, and file systems take no longer one than theirs. */
  private static String fileName(int number, Path image) {
    String stem = image.getFileName().toString().replaceFirst("\\.[^.]*$", "");
    String shown = Printable.of(stem).replace('\\', '_');
    while (shown.getBytes(StandardCharsets.UTF_8).length > LONGEST_STEM) {
      shown = shown.substring(0, shown.offsetByCodePoints(shown.length(), -1));
    }
    return String.format(Locale.ROOT, "%03d-%s.png", number, shown);
  }
}
