/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.textures;

import java.util.Arrays;

/**
 * How much of an image is figure, and how soft its edges are.
 *
 * <p>A tone is laid on the ranks of the heights: {@code t = q((rank + ½)/n)} with one increasing q
 * per image. The histogram of t is therefore that of q, whatever the pattern was.
 */
final class Tone {

  private static final long INDEX_MASK = 0xFFFF_FFFFL;

  private final double threshold;
  private final double softness;
  private final double slope;

  Tone(Dice dice) {
    this.threshold = 1 - dice.between(0.3, 0.5);
    this.softness = dice.scale(0.04, 0.16);
    this.slope = dice.between(0, 0.35);
  }

  /** The tones, in [0, 1], of heights of at least 0; equal heights get equal tones. */
  double[] of(double[] heights) {
    long[] order = order(heights);
    double[] tones = new double[heights.length];
    int from = 0;
    while (from < order.length) {
      int to = from + 1;
      while (to < order.length && order[to] >>> 32 == order[from] >>> 32) {
        to++;
      }
      double tone = quantile(0.5 * (from + to) / order.length);
      for (int k = from; k < to; k++) {
        tones[(int) (order[k] & INDEX_MASK)] = tone;
      }
      from = to;
    }
    return tones;
  }

  /** Heights in the upper halves of the words, sorted, and where they stand in the lower ones. */
  private static long[] order(double[] heights) {
    long[] order = new long[heights.length];
    for (int k = 0; k < order.length; k++) {
      // The bits of floats that are not negative are in the order of the floats.
      order[k] = (long) Float.floatToIntBits((float) heights[k]) << 32 | k;
    }
    Arrays.sort(order);
    return order;
  }

  private double quantile(double u) {
    double z = (u - threshold) / softness;
    double step = 0.5 + 0.5 * z / Math.sqrt(1 + z * z);
    return slope * u + (1 - slope) * step;
  }
}
