/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.textures;

import static io.github.spd4j.textures.Pattern.clamp;
import static io.github.spd4j.textures.Pattern.triangle;

/** Patterns without straight lines: noise, veins, fibres, spirals. */
final class FlowPatterns {

  private FlowPatterns() {}

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
