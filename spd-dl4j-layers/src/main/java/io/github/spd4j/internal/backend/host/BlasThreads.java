/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.backend.host;

import java.util.OptionalInt;
import java.util.function.IntConsumer;
import java.util.function.IntSupplier;
import java.util.function.IntUnaryOperator;
import org.bytedeco.javacpp.Loader;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.openblas.global.openblas;
import org.bytedeco.openblas.presets.openblas_nolapack;

/**
 * Keeps BLAS to the thread that calls it for a while.
 *
 * <p>Threads that share one product wait for each other at its end; at 512 rows that costs more
 * than it saves, and much more on a busy machine. Threads that each compute products of their own
 * never wait. OpenBLAS has one number of threads for the whole process, so whoever comes last
 * restores it.
 */
final class BlasThreads {

  private static final IntSupplier THREADS;
  private static final IntConsumer SET_THREADS;

  /** Sets the number of MKL's threads for the calling thread, and returns what it was; or null. */
  private static final IntUnaryOperator SET_OWN_THREADS;

  /*
   * JavaCPP looks for all libraries and their functions anew each time, which takes a millisecond
   * or two, and does not know what others told BLAS. So BLAS is asked by its own functions.
   */
  static {
    Loader.load(openblas.class);
    Pointer own = Loader.addressof("MKL_Set_Num_Threads_Local");
    Pointer getter =
        Loader.addressof(own == null ? "openblas_get_num_threads" : "MKL_Get_Max_Threads");
    Pointer setter = own == null ? Loader.addressof("openblas_set_num_threads") : null;
    SET_OWN_THREADS = own == null ? null : ownSetter(own);
    THREADS = getter == null ? openblas::blas_get_num_threads : getter(getter);
    SET_THREADS = setter == null ? openblas::blas_set_num_threads : setter(setter);
  }

  private static int users;
  private static int before;

  private BlasThreads() {}

  private static IntSupplier getter(Pointer function) {
    OfInt getter = new OfInt();
    getter.put(function);
    return () -> getter.call(0); // the function has no arguments and leaves this one alone
  }

  private static IntConsumer setter(Pointer function) {
    Setter setter = new Setter();
    setter.put(function);
    return setter::call;
  }

  private static IntUnaryOperator ownSetter(Pointer function) {
    OfInt setter = new OfInt();
    setter.put(function);
    return setter::call;
  }

  /**
   * Runs work whose products are computed by the calling thread alone. With MKL that is a setting
   * of the thread, which counts for more than any other; otherwise it is one for the whole process.
   */
  static void alone(Runnable work) {
    if (SET_OWN_THREADS != null) {
      int own = SET_OWN_THREADS.applyAsInt(1);
      try {
        work.run();
      } finally {
        SET_OWN_THREADS.applyAsInt(own);
      }
      return;
    }
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

  /** How many threads a product may use now. */
  static int count() {
    return THREADS.getAsInt();
  }

  /** A function of a number that returns another. */
  private static final class OfInt extends openblas_nolapack.MklSetNumThreadsLocal {}

  private static final class Setter extends openblas_nolapack.SetNumThreads {}
}
