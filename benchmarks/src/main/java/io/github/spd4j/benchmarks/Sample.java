/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.benchmarks;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Arrays;

/** Repeated measurements of one thing, in ascending order. */
@JsonIgnoreProperties(ignoreUnknown = true) // what is computed from the values is not read back
record Sample(double[] values) {

  Sample(double[] values) {
    this.values = values.clone();
    Arrays.sort(this.values);
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

  private double quantile(double share) {
    double place = share * (values.length - 1);
    int below = (int) place;
    int above = Math.min(below + 1, values.length - 1);
    return values[below] + (place - below) * (values[above] - values[below]);
  }

  @Override
  public String toString() {
    return String.format("%.0f (%.0f–%.0f)", median(), lowerQuartile(), upperQuartile());
  }
}
