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
import org.nd4j.linalg.factory.Nd4j;

/**
 * Collects garbage where much of it lies on a card, or where the card runs out of memory. ND4J
 * frees an array on the card when Java has collected its object, which is small: without this,
 * garbage of many GB waits for a collection that a heap with room does not need.
 */
final class CardMemory {

  /** The system property for the megabytes of garbage that may lie on cards. */
  static final String GARBAGE = "spd4j.garbage.megabytes";

  private static final long MOST_GARBAGE = Long.getLong(GARBAGE, 2048) << 20;

  /** How many passes there are to a look, which takes some microseconds. */
  private static final int PASSES = 16;

  private static final double LITTLE = 0.25;

  /** Between two collections; each that does not help doubles it. */
  private static final long SHORTEST_PAUSE = TimeUnit.SECONDS.toNanos(1);

  private static final long LONGEST_PAUSE = TimeUnit.SECONDS.toNanos(30);

  private static final AtomicLong PASSED = new AtomicLong();
  private static final AtomicLong LATEST = new AtomicLong(System.nanoTime() - SHORTEST_PAUSE);

  private static volatile long pause = SHORTEST_PAUSE;

  /** The least that arrays of this process have held since the last collection. */
  private static final AtomicLong LEAST = new AtomicLong(Long.MAX_VALUE);

  private CardMemory() {}

  /** Is called with every pass, on the thread that computes it. */
  static void relieve() {
    if (PASSED.incrementAndGet() % PASSES != 0) {
      return;
    }
    long held = held();
    long more = held - LEAST.accumulateAndGet(held, Math::min);
    long now = System.nanoTime();
    long latest = LATEST.get();
    if (now - latest <= pause) {
      return;
    }
    if (more <= MOST_GARBAGE && freeShare() >= LITTLE) {
      pause = SHORTEST_PAUSE;
    } else if (LATEST.compareAndSet(latest, now)) {
      pause = Math.min(2 * pause, LONGEST_PAUSE);
      LEAST.set(Long.MAX_VALUE);
      System.gc();
    }
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
