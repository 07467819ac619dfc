/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.tables;

import java.util.List;
import java.util.Locale;
import java.util.stream.DoubleStream;

/** The accuracies of the runs of one method on one data set. */
record Cell(List<Double> accuracies) {

  int runs() {
    return accuracies.size();
  }

  private DoubleStream percentages() {
    return accuracies.stream().mapToDouble(accuracy -> 100 * accuracy);
  }

  String text() {
    if (accuracies.isEmpty()) {
      return "–";
    }
    double mean = percentages().sum() / runs();
    double squares = percentages().map(p -> (p - mean) * (p - mean)).sum();
    return runs() == 1
        ? String.format(Locale.ROOT, "%.1f", mean)
        : String.format(Locale.ROOT, "%.1f ± %.1f", mean, Math.sqrt(squares / (runs() - 1)));
  }
}
