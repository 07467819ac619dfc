/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import java.util.Locale;

/**
 * Where a share lies with 95 % confidence, by Wilson's score: unlike the usual normal interval it
 * is right for few images and for shares near 0 and 1.
 *
 * @param low the lower bound, 0 to 1
 * @param high the upper bound, 0 to 1
 */
record Interval(double low, double high) {

  /** The quantile of the normal distribution for 95 %, both sides. */
  private static final double Z = 1.959964;

  /**
   * The interval of a share.
   *
   * @param right how many were right
   * @param all of how many, at least one
   */
  static Interval of(int right, int all) {
    double share = (double) right / all;
    double square = Z * Z / all;
    double centre = (share + square / 2) / (1 + square);
    double half = Math.sqrt(square * share * (1 - share) + square * square / 4) / (1 + square);
    // The share lies within, whatever rounding does where none or all are right.
    return new Interval(
        Math.max(0, Math.min(share, centre - half)), Math.min(1, Math.max(share, centre + half)));
  }

  @Override
  public String toString() {
    return String.format(Locale.ROOT, "%.1f to %.1f %%", 100 * low, 100 * high);
  }
}
