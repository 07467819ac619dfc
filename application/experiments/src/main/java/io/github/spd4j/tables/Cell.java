/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.tables;

import java.util.List;
import java.util.Locale;

/** The accuracies of the runs of one method on one data set. */
final class Cell {

  private final double[] accuracies;

  Cell(List<Double> accuracies) {
    this.accuracies = accuracies.stream().mapToDouble(a -> 100 * a).toArray();
  }

  int runs() {
    return accuracies.length;
  }

  double mean() {
    double sum = 0;
    for (double accuracy : accuracies) {
      sum += accuracy;
    }
    return sum / accuracies.length;
  }

  /** The standard deviation of a sample; NaN for a single run. */
  double deviation() {
    double sum = 0;
    for (double accuracy : accuracies) {
      sum += (accuracy - mean()) * (accuracy - mean());
    }
    return Math.sqrt(sum / (accuracies.length - 1));
  }

  String text() {
    if (accuracies.length == 0) {
      return "–";
    }
    return accuracies.length == 1
        ? String.format(Locale.ROOT, "%.1f", mean())
        : String.format(Locale.ROOT, "%.1f ± %.1f", mean(), deviation());
  }
}
