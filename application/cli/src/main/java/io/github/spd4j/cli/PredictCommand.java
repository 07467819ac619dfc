/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import io.github.spd4j.experiments.UserException;
import io.github.spd4j.files.AtomicFile;
import io.github.spd4j.images.Png;
import io.github.spd4j.predictions.Attribution;
import io.github.spd4j.predictions.Explanation;
import io.github.spd4j.predictions.TrainedModel;
import io.github.spd4j.reports.HtmlPage;
import io.github.spd4j.reports.OutputFolder;
import java.awt.image.BufferedImage;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
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

  @Parameters(index = "1..*", arity = "1..*", paramLabel = "IMAGE", description = "Image files.")
  private List<Path> images;

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

  /** For picocli. */
  public PredictCommand() {}

  @Override
  public Integer call() {
    if (top < 1) {
      throw new UserException("--top needs at least 1, got " + top);
    }
    TrainedModel model = TrainedModel.read(place);
    Map<Path, double[]> answers = new LinkedHashMap<>();
    images.forEach(image -> answers.put(image, model.probabilities(image)));
    PrintWriter out = spec.commandLine().getOut();
    answers.forEach((image, shares) -> print(out, image, line(model, shares)));
    if (folder != null) {
      explain(model, answers);
      out.println("Explanations: " + folder.resolve("index.html"));
    }
    out.flush();
    return 0;
  }

  private static void print(PrintWriter out, Path image, String line) {
    out.println(image + ": " + line);
  }

  /** The most probable classes, the first one first. */
  private String line(TrainedModel model, double[] shares) {
    return best(shares)
        .limit(top)
        .mapToObj(
            k ->
                String.format(
                    Locale.ROOT, "%s %.1f %%", model.card().classes().get(k), 100 * shares[k]))
        .collect(Collectors.joining(", "));
  }

  private static IntStream best(double[] shares) {
    return IntStream.range(0, shares.length)
        .boxed()
        .sorted((a, b) -> Double.compare(shares[b], shares[a]))
        .mapToInt(k -> k);
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
      int winner = best(answer.getValue()).findFirst().orElseThrow();
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
