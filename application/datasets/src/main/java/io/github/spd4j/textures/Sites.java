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

  /** The distances of a point to the two nearest sites. */
  record Distances(double first, double second) {}

  Distances nearest(double x, double y) {
    double first = Double.MAX_VALUE;
    double second = Double.MAX_VALUE;
    long centre = (long) Math.floor(y / row);
    for (long j = centre - REACH + 1; j <= centre + REACH; j++) {
      long middle = column(x, j);
      for (long i = middle - REACH + 1; i <= middle + REACH; i++) {
        double squared = squaredDistance(x, y, i, j);
        second = Math.min(second, Math.max(first, squared));
        first = Math.min(first, squared);
      }
    }
    return new Distances(Math.sqrt(first), Math.sqrt(second));
  }

  /**
   * The signed distance to the union of discs about the sites, whose radii are drawn from an
   * interval: negative inside.
   */
  double outline(double x, double y, double smallest, double largest) {
    double nearest = Double.MAX_VALUE;
    long centre = (long) Math.floor(y / row);
    for (long j = centre - REACH + 1; j <= centre + REACH; j++) {
      long middle = column(x, j);
      for (long i = middle - REACH + 1; i <= middle + REACH; i++) {
        double radius = smallest + (largest - smallest) * Dice.upperUnit(Dice.hash(~seed, i, j));
        nearest = Math.min(nearest, Math.sqrt(squaredDistance(x, y, i, j)) - radius);
      }
    }
    return nearest;
  }

  private long column(double x, long j) {
    return (long) Math.floor(x - shift * (j & 1));
  }

  private double squaredDistance(double x, double y, long i, long j) {
    long hash = Dice.hash(seed, i, j);
    double dx = x - i - shift * (j & 1) - jitter * (Dice.upperUnit(hash) - 0.5);
    double dy = y - row * j - jitter * (Dice.lowerUnit(hash) - 0.5);
    return dx * dx + dy * dy;
  }
}
