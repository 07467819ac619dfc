/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.linalg;

import java.util.function.IntConsumer;
import org.bytedeco.javacpp.Loader;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.openblas.global.openblas;
import org.bytedeco.openblas.presets.openblas_nolapack;

/**
 * Keeps BLAS to the thread that calls it for a while.
 *
 * <p>Threads that share one product wait for each other at its end; at 512 rows that costs more
 * than it saves, and much more on a busy machine. Threads that each compute products of their own
 * never wait. The number of threads is one setting for the whole process, so whoever comes last
 * restores it.
 */
final class BlasThreads {

  private static final IntConsumer SETTER = setter();

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
      SETTER.accept(1);
    }
  }

  private static synchronized void leave() {
    if (--users == 0) {
      SETTER.accept(before);
    }
  }

  /**
   * JavaCPP looks for all libraries and their functions anew each time, which takes two
   * milliseconds. So OpenBLAS is asked by its own function, unless another library stands in for
   * it.
   */
  private static IntConsumer setter() {
    Loader.load(openblas.class);
    Pointer function = Loader.addressof("openblas_set_num_threads");
    if (function == null || Loader.addressof("MKL_Set_Num_Threads") != null) {
      return openblas::blas_set_num_threads;
    }
    Setter setter = new Setter();
    setter.put(function);
    return setter::call;
  }

  /** Since JavaCPP lets nobody else make one. */
  private static final class Setter extends openblas_nolapack.SetNumThreads {}
}
