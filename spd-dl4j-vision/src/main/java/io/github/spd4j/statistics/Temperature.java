/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.statistics;

import java.util.Arrays;
import java.util.Objects;
import org.apache.commons.lang3.Validate;

/**
 * How far the probabilities of a classifier are from what comes of them, in one number T:
 *
 * <blockquote>
 *
 * q<sub>k</sub> = p<sub>k</sub><sup>1/T</sup> / Σ<sub>j</sub> p<sub>j</sub><sup>1/T</sup>
 *
 * </blockquote>
 *
 * <p>are the calibrated ones. With T above 1 the classifier was too sure, below 1 too modest; the
 * most probable class stays the same (Guo et al., On Calibration of Modern Neural Networks, 2017,
 * equation 9).
 */
public final class Temperature {

  /** Less than any probability that tells anything. */
  private static final double FLOOR = 1e-30;

  private static final double MOST = 20;
  private static final int STEPS = 60;

  private Temperature() {}

  /**
   * The temperature with the largest likelihood of what is known. A class counts as true with (n +
   * 1)/(n + 2), as if one more of n examples were wrong: otherwise nothing could be too sure for a
   * classifier that is always right.
   *
   * @param probabilities those of the classes for some examples that the classifier has not learnt
   * @param labels the true class of each example
   * @return 1/20 to 20
   */
  public static double fit(double[][] probabilities, int... labels) {
    Objects.requireNonNull(probabilities, "probabilities");
    Objects.requireNonNull(labels, "labels");
    Validate.isTrue(
        labels.length > 0 && labels.length == probabilities.length,
        "labels: expected one for each of one or more examples, got %s labels of %s examples",
        labels.length,
        probabilities.length);
    double[][] logs = new double[labels.length][];
    for (int i = 0; i < logs.length; i++) {
      logs[i] = logarithms(probabilities[i]);
      Validate.isTrue(
          logs[i].length > 0,
          "probabilities: expected those of the classes, got none of example %s",
          i);
      Validate.isTrue(
          labels[i] >= 0 && labels[i] < logs[i].length,
          "labels: expected 0 to %s, got %s",
          logs[i].length - 1,
          labels[i]);
    }
    double low = 1 / MOST;
    double high = MOST;
    for (int step = 0; step < STEPS; step++) { // the slope grows with 1/T
      double middle = (low + high) / 2;
      if (slope(logs, labels, middle) > 0) {
        high = middle;
      } else {
        low = middle;
      }
    }
    return 2 / (low + high);
  }

  /** The derivative of the negative log-likelihood by 1/T. */
  private static double slope(double[][] logs, int[] labels, double inverse) {
    double wrong = 1.0 / (labels.length + 2);
    double slope = 0;
    for (int i = 0; i < logs.length; i++) {
      double[] shares = softmax(logs[i], inverse);
      double others = logs[i].length > 1 ? wrong / (logs[i].length - 1) : 0;
      for (int k = 0; k < shares.length; k++) {
        double target = k == labels[i] ? 1 - others * (shares.length - 1) : others;
        slope += (shares[k] - target) * logs[i][k];
      }
    }
    return slope;
  }

  /**
   * Calibrated probabilities.
   *
   * @param temperature above 0; 1 changes nothing
   * @param probabilities those of the classes; not changed
   * @return new ones, whose sum is 1
   */
  public static double[] apply(double temperature, double... probabilities) {
    Objects.requireNonNull(probabilities, "probabilities");
    Validate.isTrue(
        temperature > 0 && temperature < Double.POSITIVE_INFINITY,
        "temperature: expected a finite one above 0, got %s",
        temperature);
    Validate.isTrue(
        probabilities.length > 0, "probabilities: expected those of the classes, got none");
    double[] logs = logarithms(probabilities);
    return temperature == 1 ? probabilities.clone() : softmax(logs, 1 / temperature);
  }

  private static double[] logarithms(double... probabilities) {
    Objects.requireNonNull(probabilities, "probabilities");
    for (double p : probabilities) {
      if (!(p >= 0 && p < Double.POSITIVE_INFINITY)) {
        throw new IllegalArgumentException("probabilities: expected finite ones from 0, got " + p);
      }
    }
    return Arrays.stream(probabilities).map(p -> Math.log(Math.max(p, FLOOR))).toArray();
  }

  private static double[] softmax(double[] logs, double inverse) {
    double most = Arrays.stream(logs).max().orElse(0);
    double[] shares = Arrays.stream(logs).map(x -> Math.exp(inverse * (x - most))).toArray();
    double sum = Arrays.stream(shares).sum();
    return Arrays.stream(shares).map(share -> share / sum).toArray();
  }
}
