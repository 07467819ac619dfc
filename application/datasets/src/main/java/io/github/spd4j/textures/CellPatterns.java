/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.textures;

/** Patterns made of cells: dots, rings, and the walls between cells. */
final class CellPatterns {

  private static final double HEXAGONAL_ROW = 0.8660254037844386;

  private CellPatterns() {}

  /** Equal discs on a lattice. */
  static Pattern dotted(Dice dice) {
    double shift = dice.coin() ? 0.5 : 0;
    Sites sites = new Sites(dice.word(), 1, shift, dice.between(0, 0.15));
    return (x, y) -> nearness(sites.nearest(x, y).first());
  }

  /** The walls of hexagons. */
  static Pattern honeycombed(Dice dice) {
    Sites sites = new Sites(dice.word(), HEXAGONAL_ROW, 0.5, dice.between(0, 0.12));
    return (x, y) -> wall(sites.nearest(x, y));
  }

  /** The walls of irregular cells, with rough edges. */
  static Pattern cracked(Dice dice) {
    Sites sites = new Sites(dice.word(), 1, 0, 0.95);
    Noise rough = new Noise(dice);
    double depth = dice.between(0.06, 0.14);
    return (x, y) -> {
      double dx = depth * rough.at(2.5 * x, 2.5 * y);
      double dy = depth * rough.at(2.5 * x + 31.7, 2.5 * y);
      return wall(sites.nearest(0.85 * x + dx, 0.85 * y + dy));
    };
  }

  /** Rings of various sizes, here and there. */
  static Pattern bubbly(Dice dice) {
    Sites sites = new Sites(dice.word(), 1, 0, 0.8);
    double small = dice.between(0.2, 0.3);
    return (x, y) -> nearness(Math.abs(sites.outline(0.8 * x, 0.8 * y, small, 0.55)));
  }

  /** Rows of scales, each over the one behind it. */
  static Pattern scaly(Dice dice) {
    double row = dice.between(0.42, 0.55);
    double radius = dice.between(0.62, 0.7);
    return (x, y) -> {
      long last = (long) Math.floor((y + radius) / row);
      for (long j = last - 4; j <= last; j++) {
        double dx = x - 0.5 * (j & 1) - Math.rint(x - 0.5 * (j & 1));
        double dy = y - row * j;
        double distance = Math.sqrt(dx * dx + dy * dy);
        if (distance < radius) {
          return distance / radius;
        }
      }
      throw new AssertionError("the scales cover the plane");
    };
  }

  /** 1 on the border of two cells, falling towards their sites. */
  private static double wall(Sites.Distances d) {
    return nearness(d.second() - d.first());
  }

  private static double nearness(double distance) {
    return 1 / (1 + distance);
  }
}
