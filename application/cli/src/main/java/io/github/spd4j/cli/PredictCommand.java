/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import io.github.spd4j.datasets.DataSetException;
import io.github.spd4j.datasets.PicturePaths;
import io.github.spd4j.experiments.UserException;
import io.github.spd4j.files.AtomicFile;
import io.github.spd4j.images.Png;
import io.github.spd4j.predictions.Attribution;
import io.github.spd4j.predictions.Explanation;
import io.github.spd4j.predictions.TrainedModel;
import io.github.spd4j.reports.HtmlPage;
import io.github.spd4j.reports.OutputFolder;
import io.github.spd4j.train.TwoStageTrainer;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.nd4j.linalg.api.ndarray.INDArray;
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
    List<Path> files = PicturePaths.of(pictures);
    TrainedModel model = TrainedModel.read(run());
    Map<Path, double[]> probabilities = new LinkedHashMap<>();
    long start = System.nanoTime();
    files.forEach(file -> classify(model, file, probabilities));
    double seconds = (System.nanoTime() - start) / 1e9;
    write(new Answers(model.card().classes(), probabilities));
    PrintWriter out = spec.commandLine().getOut();
    if (folder != null && !probabilities.isEmpty()) {
      explain(model, probabilities);
      out.println("Explanations: " + folder.resolve("index.html"));
    }
    int unread = files.size() - probabilities.size();
    out.printf(
        Locale.ROOT,
        "%d of %d pictures classified, %.1f a second%n",
        probabilities.size(),
        files.size(),
        probabilities.size() / seconds);
    out.flush();
    return unread == 0 ? 0 : Commands.USER_ERROR;
  }

  /** The folder with the model. That of many runs is a likely mistake. */
  private Path run() {
    if (Files.isDirectory(place) && !Files.exists(place.resolve(TwoStageTrainer.MODEL))) {
      try (Stream<Path> files = Files.list(place)) {
        files
            .filter(run -> Files.exists(run.resolve(TwoStageTrainer.MODEL)))
            .sorted()
            .findFirst()
            .ifPresent(
                run -> {
                  throw new UserException(
                      "expected the folder of one run, got that of several; choose one of them,"
                          + " such as "
                          + run);
                });
      } catch (IOException e) {
        throw new UncheckedIOException("cannot list " + place, e);
      }
    }
    return place;
  }

  /** Prints the answer at once; a picture that cannot be read is named, and the others go on. */
  private void classify(TrainedModel model, Path file, Map<Path, double[]> probabilities) {
    try {
      double[] shares = model.probabilities(file);
      probabilities.put(file, shares);
      PrintWriter out = spec.commandLine().getOut();
      out.println(file + ": " + line(model, shares));
      out.flush();
    } catch (DataSetException e) {
      PrintWriter err = spec.commandLine().getErr();
      err.println("Not classified: " + e.getMessage());
      err.flush();
    }
  }

  private void write(Answers answers) {
    if (csv != null) {
      AtomicFile.write(csv, answers.csv());
    }
    if (json != null) {
      AtomicFile.write(json, answers.json());
    }
  }

  /** The most probable classes, the first one first. */
  private String line(TrainedModel model, double[] shares) {
    return Answers.best(shares).stream()
        .limit(top)
        .map(
            k ->
                String.format(
                    Locale.ROOT, "%s %.1f %%", model.card().classes().get(k), 100 * shares[k]))
        .collect(Collectors.joining(", "));
  }

  private void explain(TrainedModel model, Map<Path, double[]> answers) {
    OutputFolder.create("--explain", folder);
    Attribution attribution = new Attribution(model.net(), model.card().cut());
    HtmlPage page = new HtmlPage("Which places decided");
    page.paragraph(
        "Red speaks for the predicted class, blue against it. Each place of the"
            + " feature maps sees a larger part of the image than the square that it is drawn on.");
    int number = 0;
    for (Map.Entry<Path, double[]> answer : answers.entrySet()) {
      INDArray image = model.whole(answer.getKey());
      int winner = Answers.best(answer.getValue()).get(0);
      BufferedImage photograph = model.card().pixels().picture(image);
      BufferedImage picture = Explanation.picture(photograph, attribution.of(image, winner));
      AtomicFile.write(folder.resolve(fileName(++number, answer.getKey())), Png.bytes(picture));
      page.figure(picture, answer.getKey() + ": " + line(model, answer.getValue()));
    }
    AtomicFile.write(folder.resolve("index.html"), page.html());
  }

  /** Two images may have the same name. */
  private static String fileName(int number, Path image) {
    String stem = image.getFileName().toString().replaceFirst("\\.[^.]*$", "");
    return String.format(Locale.ROOT, "%03d-%s.png", number, stem);
  }
}
