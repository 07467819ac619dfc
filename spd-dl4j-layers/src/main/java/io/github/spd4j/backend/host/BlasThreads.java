/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.backend.host;

import java.util.OptionalInt;
import java.util.function.IntConsumer;
import java.util.function.IntSupplier;
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

  private static final String MKL_THREADS = "MKL_Get_Max_Threads";
  private static final String OPENBLAS_THREADS = "openblas_get_num_threads";

  /** Whether MKL stands in for OpenBLAS. */
  static final boolean IS_MKL;

  private static final IntSupplier THREADS;
  private static final IntConsumer SET_THREADS;

  /*
   * JavaCPP looks for all libraries and their functions anew each time, which takes a millisecond
   * or two, and does not know what others told BLAS. So BLAS is asked by its own functions.
   */
  static {
    Loader.load(openblas.class);
    IS_MKL = Loader.addressof(MKL_THREADS) != null;
    Pointer getter = Loader.addressof(IS_MKL ? MKL_THREADS : OPENBLAS_THREADS);
    Pointer setter = Loader.addressof(IS_MKL ? "MKL_Set_Num_Threads" : "openblas_set_num_threads");
    if (getter != null && setter != null) {
      Getter get = new Getter();
      Setter set = new Setter();
      get.put(getter);
      set.put(setter);
      THREADS = () -> get.call(0); // the function has no arguments and leaves this one alone
      SET_THREADS = set::call;
    } else {
      THREADS = openblas::blas_get_num_threads;
      SET_THREADS = openblas::blas_set_num_threads;
    }
  }

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
      before = THREADS.getAsInt();
      SET_THREADS.accept(1);
    }
  }

  private static synchronized void leave() {
    if (--users == 0) {
      SET_THREADS.accept(before);
    }
  }

  /**
   * Takes back threads above the number of processors, which ND4J takes from {@code
   * OMP_NUM_THREADS}: with them OpenBLAS 0.3.28 ends the process in a product of doubles.
   *
   * @param processors how many there are
   * @return how many threads there were, if they were too many
   */
  static synchronized OptionalInt limitTo(int processors) {
    int threads = THREADS.getAsInt();
    if (users > 0 || threads <= processors) {
      return OptionalInt.empty();
    }
    SET_THREADS.accept(processors);
    return OptionalInt.of(threads);
  }

  /** What computes products. */
  static String library() {
    return IS_MKL ? "MKL" : Loader.addressof(OPENBLAS_THREADS) != null ? "OpenBLAS" : "a BLAS";
  }

  /** How many threads a product may use now. */
  static int count() {
    return THREADS.getAsInt();
  }

  /** A function that returns a number, for which JavaCPP has no other class. */
  private static final class Getter extends openblas_nolapack.MklSetNumThreadsLocal {}

  private static final class Setter extends openblas_nolapack.SetNumThreads {}
}
