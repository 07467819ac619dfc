/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.images;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.UUID;

/**
 * Random numbers that are fixed by a seed and by what they are for, on every JVM: the sequences of
 * {@link Random} are part of its contract.
 */
public final class SeededRandom {

  private SeededRandom() {}

  /**
   * A new sequence.
   *
   * @param seed the seed
   * @param purpose what the numbers are for
   * @return the sequence
   */
  public static Random of(long seed, String purpose) {
    // Random alone gives seeds that are close to each other similar first numbers.
    byte[] text = (seed + " " + purpose).getBytes(StandardCharsets.UTF_8);
    return new Random(UUID.nameUUIDFromBytes(text).getLeastSignificantBits());
  }
}
