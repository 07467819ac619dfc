/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.textures;

import java.util.SplittableRandom;

/**
 * A source of random numbers whose sequence is fixed by its seed on every JVM: it takes nothing but
 * the raw 64-bit words of {@link SplittableRandom}, and derives the rest itself.
 */
final class Dice {

  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  private final long seed;
  private final SplittableRandom words;

  Dice(long seed) {
    this.seed = seed;
    this.words = new SplittableRandom(mix(seed));
  }

  /** A bijection of the 64-bit words that leaves no visible pattern (the finaliser of SplitMix). */
  static long mix(long word) {
    long z = (word ^ (word >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }

  /** A word that is a function of a seed and a point of the integer lattice. */
  static long hash(long seed, long i, long j) {
    return mix(mix(seed + i * GOLDEN) + j * GOLDEN);
  }

  /** The upper half of a word as a number in [0, 1). */
  static double upperUnit(long word) {
    return (word >>> 32) * 0x1p-32;
  }

  /** The lower half of a word as a number in [0, 1). */
  static double lowerUnit(long word) {
    return (word & 0xFFFF_FFFFL) * 0x1p-32;
  }

  /** Dice of their own, which do not depend on what these have thrown. */
  Dice child(int index) {
    return new Dice(mix(seed + (index + 1) * GOLDEN));
  }

  long word() {
    return words.nextLong();
  }

  double between(double low, double high) {
    return low + (high - low) * unit(word());
  }

  /** Low to high, uniform in the logarithm. */
  double scale(double low, double high) {
    return low * StrictMath.pow(high / low, unit(word()));
  }

  boolean coin() {
    return word() < 0;
  }

  /** Nearly normal with mean 0 and variance 1: the sum of the four 16-bit parts of a word. */
  double bell() {
    long w = word();
    long sum = (w & 0xFFFF) + (w >>> 16 & 0xFFFF) + (w >>> 32 & 0xFFFF) + (w >>> 48);
    return (sum * 0x1p-16 - 2) * 1.7320508075688772;
  }

  /** Brings an array into a random order, in place, and returns it. */
  int[] shuffle(int[] values) {
    for (int k = values.length - 1; k > 0; k--) {
      int other = (int) between(0, k + 1);
      int value = values[k];
      values[k] = values[other];
      values[other] = value;
    }
    return values;
  }

  private static double unit(long word) {
    return (word >>> 11) * 0x1p-53;
  }
}
