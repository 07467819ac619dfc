/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import io.github.spd4j.datasets.FileImages;
import io.github.spd4j.datasets.ImageFile;
import io.github.spd4j.experiments.Predictions.ConfusedPair;
import io.github.spd4j.graft.SpdGraft;
import io.github.spd4j.images.PixelFormat;
import io.github.spd4j.images.Views;
import io.github.spd4j.reports.HeadSection;
import io.github.spd4j.reports.HtmlPage;
import java.awt.image.BufferedImage;
import java.util.List;
import java.util.stream.IntStream;
import org.deeplearning4j.nn.graph.ComputationGraph;

/** What a run's network makes of single images. */
record ExampleSection(HtmlPage page, Run run, Predictions predictions, ComputationGraph net) {

  private static final int PAIRS = 8;
  private static final int THUMBNAIL = 128;

  private static final int HEALTH_SAMPLE = 4;

  void add() {
    if (predictions.size() > 0) {
      confusedPairs();
      if (net.getConfiguration().getVertices().containsKey(SpdGraft.AGGREGATION)) {
        matrices();
      }
    }
    page.heading("Health of the head");
    FileImages sample = run.images(run.partition.training(), Views.PLAIN);
    HeadSection.addHealth(page, net, sample, HEALTH_SAMPLE);
  }

  private void confusedPairs() {
    page.heading("Most confused");
    for (ConfusedPair pair : predictions.confusedPairs(PAIRS)) {
      String truth = predictions.classes().get(pair.truth());
      String answer = predictions.classes().get(pair.answer());
      ImageFile file = predictions.file(pair.example());
      page.card(
          thumbnail(file), truth, List.of(answer + ", " + pair.count() + " times"), List.of(false));
      run.partition.training().stream()
          .filter(image -> image.label() == pair.answer())
          .findFirst()
          .ifPresent(
              image ->
                  page.card(thumbnail(image), answer, List.of("a training image"), List.of(true)));
    }
    page.paragraph(
        "The first image of each pair that was answered wrongly, beside the class answered.");
  }

  private BufferedImage thumbnail(ImageFile file) {
    FileImages images =
        new FileImages(List.of(file), predictions.classes().size(), Views.PLAIN, THUMBNAIL, 1);
    return PixelFormat.CAFFE.picture(images.image(0));
  }

  /** Of the first test image that was classified correctly, and of the first that was not. */
  private void matrices() {
    page.heading("Kernel matrices K and their transforms Y = WᵀKW");
    for (boolean right : new boolean[] {true, false}) {
      IntStream.range(0, predictions.size())
          .filter(image -> predictions.isRight(image) == right)
          .findFirst()
          .ifPresent(image -> matrices(image, right ? "right" : "wrong"));
    }
  }

  private void matrices(int image, String verdict) {
    ImageFile file = predictions.file(image);
    String answer = predictions.classes().get(predictions.answer(image));
    page.paragraph(file.name() + ": " + answer + ", " + verdict); // each on a line of its own
    page.figure(thumbnail(file), "The image");
    HeadSection.addMatrices(page, net, run.images(List.of(file), Views.PLAIN).image(0));
  }
}
