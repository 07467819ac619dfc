/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import io.github.spd4j.datasets.FileImages;
import io.github.spd4j.datasets.ImageFile;
import io.github.spd4j.graft.SpdGraft;
import io.github.spd4j.images.PixelFormat;
import io.github.spd4j.images.Pixels;
import io.github.spd4j.images.Views;
import io.github.spd4j.reports.HeadSection;
import io.github.spd4j.reports.HtmlPage;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.stream.IntStream;
import org.deeplearning4j.nn.graph.ComputationGraph;

/** What a run's network makes of single images. */
record ExampleSection(HtmlPage page, Run run, Predictions predictions, ComputationGraph net) {

  /** Pixels of a side, as many as a page shows. */
  private static final int THUMBNAIL = 140;

  private static final int HEALTH_SAMPLE = 4;

  static BufferedImage thumbnail(Predictions predictions, int image, int size) {
    PixelFormat format = PixelFormat.of(PixelFormat.Order.RGB, 255);
    try {
      Pixels whole = Pixels.read(predictions.file(image).path());
      double scale = (double) size / Math.max(whole.height(), whole.width());
      int height = Math.max(1, (int) Math.round(scale * whole.height()));
      int width = Math.max(1, (int) Math.round(scale * whole.width()));
      return format.picture(format.array(whole.resize(height, width)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void health() {
    FileImages sample = run.images(run.partition.training(), Views.PLAIN);
    HeadSection.addHealth(page, net, sample, HEALTH_SAMPLE);
  }

  boolean hasMatrices() {
    return predictions.size() > 0
        && net.getConfiguration().getVertices().containsKey(SpdGraft.AGGREGATION);
  }

  /** Of the first test image that was classified correctly, and of the first that was not. */
  void matrices() {
    page.paragraph("Kernel matrices K and, where the head has them, their transforms Y = WᵀKW.");
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
    page.figure(thumbnail(predictions, image, THUMBNAIL), "The image");
    HeadSection.addMatrices(page, net, run.images(List.of(file), Views.PLAIN).image(0));
  }
}
