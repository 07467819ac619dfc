/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.linalg;

import org.bytedeco.openblas.global.openblas;

/**
 * Keeps BLAS to the thread that calls it for a while.
 *
 * <p>Threads that share one product wait for each other at its end; at 512 rows that costs more
 * than it saves, and much more on a busy machine. Threads that each compute products of their own
 * never wait. The number of threads is one setting for the whole process, so whoever comes last
 * restores it.
 */
final class BlasThreads {

  private static int users;
  private static int before;

  private BlasThreads() {}

  /** Runs work whose products are each computed by the thread that asks for them. */
  static void alone(Runnable work) {
    enter();
    try {
      work.run();
    } finally {
      leave();
    }
  }

  private static synchronized void enter() {
    if (users++ == 0) {
      before = openblas.blas_get_num_threads();
      openblas.blas_set_num_threads(1);
    }
  }

  private static synchronized void leave() {
    if (--users == 0) {
      openblas.blas_set_num_threads(before);
    }
  }
}
