/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.textures;

import static io.github.spd4j.textures.Pattern.clamp;
import static io.github.spd4j.textures.Pattern.triangle;

/**
 * The patterns of the classes. Some are made of straight lines, one family of them or two that
 * cross; some of cells: dots, rings, and the walls between cells; and some have no straight lines:
 * noise, veins, fibres, spirals.
 */
final class Patterns {

  private static final double HEXAGONAL_ROW = 0.8660254037844386;

  private Patterns() {}

  /** The same stripe again and again. */
  static Pattern striped(Dice dice) {
    return (x, y) -> triangle(x);
  }

  /** Parallel bands of irregular width and height. */
  static Pattern banded(Dice dice) {
    Noise noise = new Noise(dice);
    double line = dice.between(-50, 50);
    return (x, y) -> clamp(0.5 + 0.4 * noise.octaves(1.1 * x, line, 2));
  }

  /** Stripes that turn at sharp corners. */
  static Pattern zigzagged(Dice dice) {
    double depth = dice.between(0.8, 1.2);
    double length = dice.between(0.45, 0.65);
    return (x, y) -> triangle(y + depth * triangle(length * x));
  }

  /** Lines that cross at right angles. */
  static Pattern grid(Dice dice) {
    return (x, y) -> Math.max(triangle(x), triangle(y));
  }

  /** Squares of two kinds in turn. */
  static Pattern chequered(Dice dice) {
    return (x, y) -> {
      double across = 2 * triangle(0.62 * x) - 1;
      double along = 2 * triangle(0.62 * y) - 1;
      double inside = Math.min(Math.abs(across), Math.abs(along));
      return 0.5 + 0.5 * (across * along > 0 ? inside : -inside);
    };
  }

  /** Two families of uneven strokes that cross at an acute angle. */
  static Pattern crosshatched(Dice dice) {
    double angle = dice.between(0.3, 0.55);
    double cos = StrictMath.cos(angle);
    double sin = StrictMath.sin(angle);
    Pattern first = strokes(dice);
    Pattern second = strokes(dice);
    return (x, y) -> {
      double one = first.at(cos * x + sin * y, cos * y - sin * x);
      double other = second.at(cos * x - sin * y, cos * y + sin * x);
      return Math.max(one, other);
    };
  }

  /** Lines along y whose place and weight waver. */
  private static Pattern strokes(Dice dice) {
    Noise place = new Noise(dice);
    Noise weight = new Noise(dice);
    return (x, y) -> {
      double height = triangle(1.15 * x + 0.15 * place.at(x, 0.3 * y));
      return clamp(height * (0.85 + 0.15 * weight.at(1.15 * x, 0.6 * y)));
    };
  }

  /** Strands that go over and under each other, two or three at a time. */
  static Pattern woven(Dice dice) {
    int strands = dice.coin() ? 2 : 3;
    double cells = strands == 2 ? 0.75 : 0.6;
    double roundness = dice.between(0.5, 0.9);
    return (x, y) -> {
      double u = cells * x;
      double v = cells * y;
      boolean over = ((long) Math.floor(u) + (long) Math.floor(v) & 1) == 0;
      double side = triangle(strands * (over ? u : v));
      double end = triangle(over ? v : u);
      return clamp(0.8 * side + 0.2 * roundness * end * end);
    };
  }

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
    return (x, y) -> {
      double outline = sites.nearest(0.8 * x, 0.8 * y, small, 0.55).first();
      return nearness(Math.abs(outline));
    };
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

  /** Patches of no particular shape or direction. */
  static Pattern blotchy(Dice dice) {
    Noise noise = new Noise(dice);
    return (x, y) -> clamp(0.5 + 0.35 * noise.octaves(0.9 * x, 0.9 * y, 3));
  }

  /** Long thin fibres in one direction, which begin and end anywhere. */
  static Pattern fibrous(Dice dice) {
    Noise noise = new Noise(dice);
    Noise bend = new Noise(dice);
    double stretch = dice.between(0.22, 0.34);
    return (x, y) -> {
      double across = 1.7 * (x + 0.25 * bend.at(0.5 * x, 0.5 * y));
      return clamp(0.5 + 0.35 * noise.octaves(across, stretch * y, 2));
    };
  }

  /** Veins: stripes in a turbulent flow. */
  static Pattern marbled(Dice dice) {
    Noise flow = new Noise(dice);
    double turbulence = dice.between(0.9, 1.4);
    return (x, y) -> triangle(0.7 * x + turbulence * flow.octaves(0.45 * x, 0.45 * y, 3));
  }

  /** One spiral, of one to three arms, to the left or to the right. */
  static Pattern spiralled(Dice dice) {
    double arms = 1 + (dice.word() >>> 1) % 3;
    double turn = (dice.coin() ? arms : -arms) / (2 * StrictMath.PI);
    return (x, y) -> triangle(1.05 * Math.sqrt(x * x + y * y) + turn * StrictMath.atan2(y, x));
  }
}
