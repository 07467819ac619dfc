/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.reports;

import io.github.spd4j.graft.SpdGraft;
import io.github.spd4j.listeners.HealthReport;
import io.github.spd4j.listeners.LayerHealth;
import io.github.spd4j.listeners.SpdHealthListener;
import io.github.spd4j.train.images.LabelledImages;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;

/** What a trained head is like inside: its matrices for an image, and its health figures. */
public final class HeadSection {

  /** The width of a matrix: the image and both matrices fit beside each other. */
  private static final int MATRIX = 400;

  private HeadSection() {}

  /**
   * Adds the kernel matrix K of an image and its transform Y = WᵀKW, as far as the head has them.
   *
   * @param page where to add them
   * @param net the trained network
   * @param image [1, channels, height, width]
   */
  public static void addMatrices(HtmlPage page, ComputationGraph net, INDArray image) {
    Map<String, INDArray> activations = net.feedForward(image, false);
    Map<String, String> captions =
        Map.of(
            SpdGraft.AGGREGATION,
            "K: how alike its feature maps are, two at a time.",
            SpdGraft.transform(0),
            "Y: what the learnt W makes of it.");
    for (String layer : List.of(SpdGraft.AGGREGATION, SpdGraft.transform(0))) {
      if (activations.containsKey(layer)) {
        INDArray matrix = activations.get(layer);
        String largest = String.format(Locale.ROOT, "%.3g", matrix.slice(0).amaxNumber());
        page.figure(PagePictures.ofMatrix(matrix), captions.get(layer), MATRIX);
        page.scale("−" + largest, largest);
      }
    }
  }

  /**
   * Measures in one step of a copy, so that the trained network stays as it is, and adds a table
   * for each layer of this library.
   *
   * @param page where to add them
   * @param net the trained network
   * @param images some images
   * @param most how many of them to measure with, at most
   */
  public static void addHealth(
      HtmlPage page, ComputationGraph net, LabelledImages images, int most) {
    HealthReport report = measure(net, sample(images, Math.min(most, images.size())));
    if (report.layers().isEmpty()) {
      page.paragraph("This head has no layers with figures.");
    }
    for (LayerHealth layer : report.layers()) {
      Map<String, String> rows = new LinkedHashMap<>();
      layer.figures().forEach((figure, value) -> rows.put(figure.label(), figure.format(value)));
      page.paragraph(layer.name() + ":");
      page.facts(rows);
    }
    report.warnings().forEach(page::paragraph);
  }

  private static DataSet sample(LabelledImages images, int size) {
    INDArray labels = Nd4j.zeros(size, images.classes());
    IntStream.range(0, size).forEach(i -> labels.putScalar(i, images.label(i), 1));
    INDArray[] inputs = IntStream.range(0, size).mapToObj(images::image).toArray(INDArray[]::new);
    return new DataSet(Nd4j.concat(0, inputs), labels);
  }

  private static HealthReport measure(ComputationGraph net, DataSet sample) {
    ComputationGraph copy = net.clone();
    SpdHealthListener listener =
        new SpdHealthListener.Builder().every(1).sample(sample.numExamples()).build();
    copy.setListeners(listener);
    copy.fit(sample);
    return listener.history().get(0);
  }
}
