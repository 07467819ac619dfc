/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.engine;

import io.github.spd4j.train.plan.Stage;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * All random numbers of a training, as a pure function of seed, stage and epoch, so that an epoch
 * that is repeated after an interruption is the same epoch. For internal use.
 */
public final class Seeds {

  private Seeds() {}

  /**
   * The seed of one epoch.
   *
   * @param seed the seed of the plan
   * @param stage the stage
   * @param epoch the number of the epoch in its stage
   * @return a seed
   */
  public static long ofEpoch(long seed, Stage stage, int epoch) {
    return mix(mix(seed + stage.ordinal()) + epoch);
  }

  static long ofImage(long epochSeed, int index) {
    return mix(epochSeed ^ (index + 1L));
  }

  /**
   * A random order. Java specifies the generator and the shuffle, so it is the same everywhere.
   *
   * @param size how many numbers
   * @param seed the seed
   * @return the numbers from 0 to size − 1
   */
  public static int[] order(int size, long seed) {
    List<Integer> order = IntStream.range(0, size).boxed().collect(Collectors.toList());
    Collections.shuffle(order, new Random(seed));
    return order.stream().mapToInt(Integer::intValue).toArray();
  }

  /** The finaliser of SplitMix64: neighbouring numbers give unrelated ones. */
  private static long mix(long number) {
    long z = number + 0x9e3779b97f4a7c15L;
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }
}
