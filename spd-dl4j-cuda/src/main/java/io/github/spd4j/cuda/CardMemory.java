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
  private static final long PAUSE = TimeUnit.SECONDS.toNanos(1);

  private static final AtomicLong PASSED = new AtomicLong();
  private static final AtomicLong LATEST = new AtomicLong(System.nanoTime() - PAUSE);

  private CardMemory() {}

  /** Is called with every pass, on the thread that computes it. */
  static void relieve() {
    if (PASSED.incrementAndGet() % PASSES != 0) {
      return;
    }
    long now = System.nanoTime();
    long latest = LATEST.get();
    if (now - latest > PAUSE && freeShare() < LITTLE && LATEST.compareAndSet(latest, now)) {
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
