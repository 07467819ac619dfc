/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.textures;

/**
 * A height in [0, 1] for every point of the plane, about one period per unit of length.
 *
 * <p>Only the order of the heights counts, for the tone of an image is laid on their ranks: the
 * highest 30 to 50 % become the figure, the others the ground. A pattern therefore rises steadily
 * towards its figure and has no plateaus.
 */
@FunctionalInterface
interface Pattern {

  double at(double x, double y);

  /** The triangle wave of period 1: 1 at the integers, 0 halfway between them. */
  static double triangle(double t) {
    return 2 * Math.abs(t - Math.floor(t) - 0.5);
  }

  /** Keeps a height within [0, 1]. */
  static double clamp(double value) {
    return Math.max(0, Math.min(1, value));
  }
}
