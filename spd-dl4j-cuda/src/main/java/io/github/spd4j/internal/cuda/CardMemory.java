/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.cuda;

import static org.bytedeco.cuda.global.cudart.cudaMemGetInfo;
import static org.bytedeco.cuda.global.cudart.cudaSuccess;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.DoubleSupplier;
import org.bytedeco.javacpp.SizeTPointer;
import org.nd4j.linalg.factory.Nd4j;

/**
 * Collects garbage where much of it lies on a card, or where the card runs out of memory. ND4J
 * frees an array on the card when Java has collected its object, which is small: without this,
 * garbage of many GB waits for a collection that a heap with room does not need.
 */
final class CardMemory {

  /** The system property for the megabytes of garbage that may lie on cards. */
  static final String GARBAGE = "spd4j.garbage.megabytes";

  /** How many passes there are to a measurement, which takes some microseconds. */
  private static final int PASSES = 16;

  private static final AtomicLong PASSED = new AtomicLong();
  private static final CardMemory PRESENT =
      new CardMemory(Long.getLong(GARBAGE, 2048) << 20, System.nanoTime());

  private static final double LITTLE = 0.25;

  /** Between two collections; each that does not help doubles it. */
  private static final long SHORTEST_PAUSE = TimeUnit.SECONDS.toNanos(1);

  private static final long LONGEST_PAUSE = TimeUnit.SECONDS.toNanos(30);

  private final long mostGarbage;
  private long latest;
  private long pause = SHORTEST_PAUSE;

  /** What was held when garbage was last collected, and the least since then. */
  private long before = Long.MAX_VALUE;

  private long least = Long.MAX_VALUE;

  /**
   * A watch.
   *
   * @param mostGarbage how many bytes of it may lie there
   * @param start in nanoseconds
   */
  CardMemory(long mostGarbage, long start) {
    this.mostGarbage = mostGarbage;
    this.latest = start - SHORTEST_PAUSE;
  }

  /** Is called with every pass, on the thread that computes it. */
  static void relieve() {
    if (PASSED.incrementAndGet() % PASSES == 0
        && PRESENT.isDue(held(), CardMemory::freeShare, System.nanoTime())) {
      System.gc();
    }
  }

  /**
   * Whether it is time to collect garbage, which is expected to happen then.
   *
   * @param held the bytes that arrays hold
   * @param freeShare the share of the card that is free
   * @param now in nanoseconds
   */
  synchronized boolean isDue(long held, DoubleSupplier freeShare, long now) {
    least = Math.min(least, held);
    if (now - latest <= pause) {
      return false;
    }
    if (held - least <= mostGarbage && freeShare.getAsDouble() >= LITTLE) {
      pause = SHORTEST_PAUSE;
      return false;
    }
    boolean helped = before - least > mostGarbage / 2;
    pause = helped ? SHORTEST_PAUSE : Math.min(2 * pause, LONGEST_PAUSE);
    latest = now;
    before = held;
    least = Long.MAX_VALUE;
    return true;
  }

  /** The bytes on all cards that arrays of this process hold, garbage or not. */
  static long held() {
    long bytes = 0;
    for (int card = 0; card < Nd4j.getAffinityManager().getNumberOfDevices(); card++) {
      bytes += Nd4j.getEnvironment().getDeviceCouner(card); // that is its name
    }
    return bytes;
  }

  /** The share of the card's memory that no process uses. */
  static double freeShare() {
    try (SizeTPointer free = new SizeTPointer(1);
        SizeTPointer total = new SizeTPointer(1)) {
      int status = cudaMemGetInfo(free, total);
      if (status != cudaSuccess) {
        throw new IllegalStateException("CUDA failed at asking for its memory, status " + status);
      }
      return (double) free.get() / total.get();
    }
  }
}
