/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A class against the others: what one finds with each limit of its probability, from the highest
 * to the lowest. Images of equal probability count together.
 *
 * @param name the class
 * @param found the share of its images at or above each limit
 * @param falseAlarms the share of the others there
 * @param precision the share of its own among all there
 */
record ClassCurve(String name, double[] found, double[] falseAlarms, double[] precision) {

  static ClassCurve of(Predictions predictions, int label) {
    List<Integer> order =
        IntStream.range(0, predictions.size())
            .boxed()
            .sorted(Comparator.comparingDouble(image -> -predictions.probability(image, label)))
            .toList();
    double own = order.stream().filter(image -> predictions.truth(image) == label).count();
    double others = order.size() - own;
    List<double[]> points = new ArrayList<>(List.of(new double[] {0, 0, Double.NaN}));
    int right = 0;
    for (int i = 0; i < order.size(); i++) {
      right += predictions.truth(order.get(i)) == label ? 1 : 0;
      boolean isLast =
          i + 1 == order.size()
              || predictions.probability(order.get(i + 1), label)
                  < predictions.probability(order.get(i), label);
      if (isLast) { // 0/0 is NaN: nothing is known
        points.add(new double[] {right / own, (i + 1 - right) / others, right / (i + 1.0)});
      }
    }
    return new ClassCurve(
        predictions.classes().get(label), column(points, 0), column(points, 1), column(points, 2));
  }

  private static double[] column(List<double[]> points, int column) {
    return points.stream().mapToDouble(point -> point[column]).toArray();
  }

  /** Whether there are images of the class, and others. */
  boolean isKnown() {
    return Double.isFinite(area());
  }

  /** The area under the ROC curve. */
  double area() {
    double area = 0;
    for (int i = 1; i < found.length; i++) {
      area += (falseAlarms[i] - falseAlarms[i - 1]) * (found[i] + found[i - 1]) / 2;
    }
    return area;
  }

  /** The precision at each limit, as often as images of the class are found there. */
  double averagePrecision() {
    double sum = 0;
    for (int i = 1; i < found.length; i++) {
      sum += (found[i] - found[i - 1]) * precision[i];
    }
    return sum;
  }
}
