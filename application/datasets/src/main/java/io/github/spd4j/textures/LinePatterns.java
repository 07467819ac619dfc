/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.textures;

import static io.github.spd4j.textures.Pattern.clamp;
import static io.github.spd4j.textures.Pattern.triangle;

/** Patterns made of straight lines: one family of them, or two that cross. */
final class LinePatterns {

  private LinePatterns() {}

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
}
