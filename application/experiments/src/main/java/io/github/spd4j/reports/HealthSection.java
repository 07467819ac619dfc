/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.reports;

import io.github.spd4j.listeners.HealthReport;
import io.github.spd4j.listeners.LayerHealth;
import io.github.spd4j.listeners.SpdHealthListener;
import java.util.ArrayList;
import java.util.List;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.dataset.DataSet;

/** The health figures of a trained network as tables. */
public final class HealthSection {

  private HealthSection() {}

  /**
   * Measures in one step of a copy, so that the trained network stays as it is, and adds a table
   * for each layer of this library.
   *
   * @param page where to add them
   * @param net the trained network
   * @param sample some images with labels
   */
  public static void add(HtmlPage page, ComputationGraph net, DataSet sample) {
    HealthReport report = measure(net, sample);
    if (report.layers().isEmpty()) {
      page.paragraph("This head has no layers with figures.");
    }
    for (LayerHealth layer : report.layers()) {
      List<List<String>> rows = new ArrayList<>();
      layer
          .figures()
          .forEach((figure, value) -> rows.add(List.of(figure.label(), figure.format(value))));
      page.table(List.of(layer.name(), ""), rows);
    }
    report.warnings().forEach(page::paragraph);
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
