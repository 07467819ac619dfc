/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cuda;

import static org.bytedeco.cuda.global.cudart.cudaMemGetInfo;
import static org.bytedeco.cuda.global.cudart.cudaSuccess;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.bytedeco.javacpp.SizeTPointer;

/**
 * Collects garbage where a card runs out of memory. ND4J frees an array on the card when Java has
 * collected its object, which is small: without this, garbage of many GB waits for a collection
 * that a heap with room does not need.
 */
final class CardMemory {

  /** How many passes there are to a look, which takes some microseconds. */
  private static final int PASSES = 16;

  private static final double LITTLE = 0.25;

  /** Between two collections; each that does not help doubles it. */
  private static final long SHORTEST_PAUSE = TimeUnit.SECONDS.toNanos(1);

  private static final long LONGEST_PAUSE = TimeUnit.SECONDS.toNanos(30);

  private static final AtomicLong PASSED = new AtomicLong();
  private static final AtomicLong LATEST = new AtomicLong(System.nanoTime() - SHORTEST_PAUSE);

  private static volatile long pause = SHORTEST_PAUSE;

  private CardMemory() {}

  /** Is called with every pass, on the thread that computes it. */
  static void relieve() {
    if (PASSED.incrementAndGet() % PASSES != 0) {
      return;
    }
    long now = System.nanoTime();
    long latest = LATEST.get();
    if (now - latest <= pause) {
      return;
    }
    if (freeShare() >= LITTLE) {
      pause = SHORTEST_PAUSE;
    } else if (LATEST.compareAndSet(latest, now)) {
      pause = Math.min(2 * pause, LONGEST_PAUSE);
      System.gc();
    }
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
