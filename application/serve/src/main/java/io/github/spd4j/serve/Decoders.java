/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.serve;

import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads that decode pictures. Large pictures have one thread for all of them, so that they
 * delay each other and nobody else, and memory never holds two at a time.
 */
final class Decoders implements AutoCloseable {

  /** A picture of more pixels is large. */
  static final long LARGE = 4_000_000;

  private final ThreadPoolExecutor small =
      threads("decode", Math.max(2, Runtime.getRuntime().availableProcessors()));
  private final ThreadPoolExecutor large = threads("decode large", 1);

  private static ThreadPoolExecutor threads(String name, int count) {
    AtomicInteger number = new AtomicInteger();
    ThreadFactory factory =
        action -> {
          Thread thread = new Thread(action, name + " " + number.incrementAndGet());
          thread.setDaemon(true);
          return thread;
        };
    return (ThreadPoolExecutor) Executors.newFixedThreadPool(count, factory);
  }

  /**
   * Does something on a thread for small pictures.
   *
   * @param action what to do; it is interrupted if the result is cancelled
   * @return the action to be
   * @throws RejectedExecutionException if this is closed
   */
  Future<?> submit(Runnable action) {
    return small.submit(action);
  }

  /**
   * Does something on the thread for large pictures. When none waits, Java's memory is cleared up,
   * so that the process becomes as small as it was.
   *
   * @param action what to do; it is interrupted if the result is cancelled
   * @return the action to be
   * @throws RejectedExecutionException if this is closed
   */
  Future<?> submitLarge(Runnable action) {
    return large.submit(
        () -> {
          action.run();
          if (large.getQueue().isEmpty()) {
            System.gc();
          }
        });
  }

  /** Interrupts what runs, and drops what waits. */
  @Override
  public void close() {
    small.shutdownNow();
    large.shutdownNow();
  }
}
