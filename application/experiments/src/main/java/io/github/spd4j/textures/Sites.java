/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.textures;

/**
 * Points of a lattice, each moved a little: the sites of a cellular pattern.
 *
 * @param seed what moves them
 * @param row the distance of two rows; in a row they are one unit apart
 * @param shift how far every other row is moved along
 * @param jitter the side of the square within which a site is moved
 */
record Sites(long seed, double row, double shift, double jitter) {

  private static final int REACH = 2;

  /** The distances of a point to the two nearest of some things. */
  record Distances(double first, double second) {}

  /** The distances to sites. */
  Distances nearest(double x, double y) {
    return nearest(x, y, 0, 0);
  }

  /**
   * The signed distances to discs about the sites, whose radii are drawn from an interval: negative
   * inside.
   */
  Distances nearest(double x, double y, double smallest, double largest) {
    double first = Double.MAX_VALUE;
    double second = Double.MAX_VALUE;
    long centre = (long) Math.floor(y / row);
    for (long j = centre - REACH + 1; j <= centre + REACH; j++) {
      long middle = (long) Math.floor(x - shift * (j & 1));
      for (long i = middle - REACH + 1; i <= middle + REACH; i++) {
        double radius = smallest + (largest - smallest) * Dice.upperUnit(Dice.hash(~seed, i, j));
        double distance = distance(x, y, i, j) - radius;
        second = Math.min(second, Math.max(first, distance));
        first = Math.min(first, distance);
      }
    }
    return new Distances(first, second);
  }

  private double distance(double x, double y, long i, long j) {
    long hash = Dice.hash(seed, i, j);
    double dx = x - i - shift * (j & 1) - jitter * (Dice.upperUnit(hash) - 0.5);
    double dy = y - row * j - jitter * (Dice.lowerUnit(hash) - 0.5);
    return Math.sqrt(dx * dx + dy * dy);
  }
}
