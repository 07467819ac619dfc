/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.textures;

/** Periodic functions of one variable. */
final class Waves {

  private Waves() {}

  /** The triangle wave of period 1: 1 at the integers, 0 halfway between them. */
  static double triangle(double t) {
    return 2 * Math.abs(t - Math.floor(t) - 0.5);
  }

  /** Keeps a height within [0, 1]. */
  static double clamp(double value) {
    return Math.max(0, Math.min(1, value));
  }
}
