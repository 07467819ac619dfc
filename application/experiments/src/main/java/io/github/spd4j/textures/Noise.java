/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.textures;

/** Smooth random functions of the plane, with gradients on the integer lattice (Perlin's noise). */
record Noise(long seed) {

  Noise(Dice dice) {
    this(dice.word());
  }

  /** About −1 to 1, with features of the size 1. */
  double at(double x, double y) {
    double left = Math.floor(x);
    double top = Math.floor(y);
    double u = x - left;
    double v = y - top;
    long i = (long) left;
    long j = (long) top;
    double upper = mix(gradient(i, j, u, v), gradient(i + 1, j, u - 1, v), ease(u));
    double lower = mix(gradient(i, j + 1, u, v - 1), gradient(i + 1, j + 1, u - 1, v - 1), ease(u));
    return 1.4 * mix(upper, lower, ease(v));
  }

  /** The sum of octaves, each of twice the frequency and half the height. */
  double octaves(double x, double y, int count) {
    double sum = 0;
    double height = 1;
    for (int k = 0; k < count; k++) {
      // The octaves are moved apart, or their lattices would share their zeros.
      sum += height * at(x + 17.3 * k, y - 9.7 * k);
      x *= 2;
      y *= 2;
      height /= 2;
    }
    return sum;
  }

  private double gradient(long i, long j, double u, double v) {
    long hash = Dice.hash(seed, i, j);
    return (2 * Dice.upperUnit(hash) - 1) * u + (2 * Dice.lowerUnit(hash) - 1) * v;
  }

  private static double ease(double t) {
    return t * t * t * (t * (t * 6 - 15) + 10);
  }

  private static double mix(double a, double b, double t) {
    return a + (b - a) * t;
  }
}
