/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.benchmarks;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Arrays;

/** Repeated measurements of one thing. */
final class Sample {

  private final double[] inOrder;

  Sample(double[] values) {
    inOrder = values.clone();
    Arrays.sort(inOrder);
  }

  @JsonProperty
  double median() {
    return quantile(0.5);
  }

  @JsonProperty
  double lowerQuartile() {
    return quantile(0.25);
  }

  @JsonProperty
  double upperQuartile() {
    return quantile(0.75);
  }

  @JsonProperty
  double[] values() {
    return inOrder.clone();
  }

  private double quantile(double share) {
    double place = share * (inOrder.length - 1);
    int below = (int) place;
    int above = Math.min(below + 1, inOrder.length - 1);
    return inOrder[below] + (place - below) * (inOrder[above] - inOrder[below]);
  }

  @Override
  public String toString() {
    return String.format("%.0f (%.0f–%.0f)", median(), lowerQuartile(), upperQuartile());
  }
}
