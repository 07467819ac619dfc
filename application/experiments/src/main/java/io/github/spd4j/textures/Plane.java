/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.textures;

/** Where the pixels of an image lie on the plane of a pattern: rotated, scaled, moved, warped. */
final class Plane {

  /** Periods from one side of an image to the other. */
  private static final double FEWEST_PERIODS = 2.6;

  private static final double MOST_PERIODS = 6.5;

  private final int size;
  private final double[] right;
  private final double[] down;
  private final double[] centre;
  private final Noise warp;
  private final double warpDepth;

  Plane(Dice dice, int size) {
    this.size = size;
    double step = dice.scale(FEWEST_PERIODS, MOST_PERIODS) / size;
    double aspect = dice.scale(0.88, 1 / 0.88);
    double angle = dice.between(0, 2 * StrictMath.PI);
    double cos = step * StrictMath.cos(angle);
    double sin = step * StrictMath.sin(angle);
    this.right = new double[] {cos * aspect, sin / aspect};
    this.down = new double[] {-sin * aspect, cos / aspect};
    this.centre = new double[] {dice.between(-1, 1), dice.between(-1, 1)};
    this.warpDepth = dice.between(0.02, 0.22);
    this.warp = new Noise(dice);
  }

  /** The heights of a pattern at the pixels, row by row. */
  double[] sample(Pattern pattern) {
    double[] heights = new double[size * size];
    double middle = 0.5 * (size - 1);
    for (int k = 0; k < heights.length; k++) {
      double column = k % size - middle;
      double row = k / size - middle;
      double x = centre[0] + right[0] * column + down[0] * row;
      double y = centre[1] + right[1] * column + down[1] * row;
      double dx = warpDepth * warp.at(0.7 * x, 0.7 * y);
      double dy = warpDepth * warp.at(0.7 * x + 57.1, 0.7 * y);
      heights[k] = pattern.at(x + dx, y + dy);
    }
    return heights;
  }
}
