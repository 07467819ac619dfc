/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.backend.host;

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

  private static final Library LIBRARY = library();

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
      before = LIBRARY.threads();
      LIBRARY.setThreads(1);
    }
  }

  private static synchronized void leave() {
    if (--users == 0) {
      LIBRARY.setThreads(before);
    }
  }

  /** How many threads a product may use now. */
  static int count() {
    return LIBRARY.threads();
  }

  /**
   * JavaCPP looks for all libraries and their functions anew each time, which takes a millisecond
   * or two, and does not know what others told OpenBLAS. So OpenBLAS is asked by its own functions,
   * unless another library stands in for it.
   */
  private static Library library() {
    Loader.load(openblas.class);
    Pointer getter = Loader.addressof("openblas_get_num_threads");
    Pointer setter = Loader.addressof("openblas_set_num_threads");
    boolean isAlone = Loader.addressof("MKL_Set_Num_Threads") == null;
    return isAlone && getter != null && setter != null
        ? new OpenBlas(getter, setter)
        : new ByJavaCpp();
  }

  /** What computes the products. */
  private interface Library {
    int threads();

    void setThreads(int threads);
  }

  private static final class ByJavaCpp implements Library {
    @Override
    public int threads() {
      return openblas.blas_get_num_threads();
    }

    @Override
    public void setThreads(int threads) {
      openblas.blas_set_num_threads(threads);
    }
  }

  private static final class OpenBlas implements Library {
    private final Getter getter = new Getter();
    private final Setter setter = new Setter();

    OpenBlas(Pointer getThreads, Pointer setThreads) {
      getter.put(getThreads);
      setter.put(setThreads);
    }

    @Override
    public int threads() {
      return getter.call(0); // the function has no arguments and leaves this one alone
    }

    @Override
    public void setThreads(int threads) {
      setter.call(threads);
    }

    /** A function that returns a number, for which JavaCPP has no other class. */
    private static final class Getter extends openblas_nolapack.MklSetNumThreadsLocal {}

    private static final class Setter extends openblas_nolapack.SetNumThreads {}
  }
}
