/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.engine;

import io.github.spd4j.train.plan.Stage;
import java.util.Random;

/**
 * All chance of a training, as a pure function of seed, stage and epoch, so that an epoch that is
 * repeated after an interruption is the same epoch.
 */
public final class Seeds {

  private Seeds() {}

  /** The seed of one epoch. */
  public static long ofEpoch(long seed, Stage stage, int epoch) {
    return mix(mix(seed + stage.ordinal()) + epoch);
  }

  /** The seed of one image in an epoch. */
  public static long ofImage(long epochSeed, int index) {
    return mix(epochSeed ^ (index + 1L));
  }

  /** A random order of 0 … size − 1. */
  public static int[] order(int size, long seed) {
    int[] order = new int[size];
    for (int i = 0; i < size; i++) {
      order[i] = i;
    }
    Random random = new Random(seed); // its algorithm is part of Java's specification
    for (int i = size - 1; i > 0; i--) {
      int j = random.nextInt(i + 1);
      int swap = order[i];
      order[i] = order[j];
      order[j] = swap;
    }
    return order;
  }

  /** The finaliser of SplitMix64: neighbouring numbers give unrelated ones. */
  private static long mix(long number) {
    long z = number + 0x9e3779b97f4a7c15L;
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }
}
