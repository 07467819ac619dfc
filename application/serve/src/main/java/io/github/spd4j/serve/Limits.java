/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.serve;

import io.github.spd4j.experiments.UserException;
import java.time.Duration;

/**
 * How much a server takes on.
 *
 * @param bytes the most bytes of a request
 * @param pixels the most pixels of a picture
 * @param requests the most predictions in hand at a time, those included that are being received
 * @param batch the most pictures in one pass of the network
 * @param time how long a request may take, from its first line to the end of its answer
 * @param decoding how long the decoding of a picture may take
 * @param grace how long a server that stops waits for the predictions in hand
 */
record Limits(
    long bytes,
    long pixels,
    int requests,
    int batch,
    Duration time,
    Duration decoding,
    Duration grace) {

  /** The most bytes of a request that an array can hold with room to spare. */
  private static final long MOST_BYTES = 1 << 29;

  Limits {
    require("--max-mb", bytes > 0 && bytes <= MOST_BYTES, "1 to 512");
    require("--max-pixels", pixels > 0, "at least 1 million");
    require("--queue", requests > 0, "at least 1");
    require("--batch", batch > 0, "at least 1");
    require("--seconds", !time.isNegative() && !time.isZero(), "at least 1");
  }

  private static void require(String option, boolean holds, String expected) {
    if (!holds) {
      throw new UserException(option + ": expected " + expected);
    }
  }
}
