/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.backend.host;

import static org.bytedeco.openblas.global.openblas.CblasLeft;
import static org.bytedeco.openblas.global.openblas.CblasNoTrans;
import static org.bytedeco.openblas.global.openblas.CblasNonUnit;
import static org.bytedeco.openblas.global.openblas.CblasRowMajor;
import static org.bytedeco.openblas.global.openblas.CblasUpper;

import org.bytedeco.openblas.global.openblas;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Refuses to work with a BLAS that computes wrongly.
 *
 * <p>OpenBLAS 0.3.19, which DL4J 1.0.0-M2.1 brings along, is wrong about triangular matrices of
 * doubles wherever it uses AVX-512, and so is LAPACK, which is built upon them: eigenvalues and
 * orthonormal factors come out as any numbers, without a word. Floats are right.
 */
public final class BlasCheck {

  private static final Logger LOG = LoggerFactory.getLogger(BlasCheck.class);
  private static final int SIZE = 16;

  /** Solves {@code T X = B} for an upper triangular T; X replaces B. All are in row-major order. */
  @FunctionalInterface
  interface TriangularSolve {
    void solve(int n, double[] triangle, double[] b);
  }

  private static final boolean IS_RIGHT =
      isRight(
          (n, triangle, b) ->
              openblas.cblas_dtrsm(
                  CblasRowMajor,
                  CblasLeft,
                  CblasUpper,
                  CblasNoTrans,
                  CblasNonUnit,
                  n,
                  n,
                  1,
                  triangle,
                  n,
                  b,
                  n));

  private BlasCheck() {}

  /**
   * To be called before LAPACK is given doubles.
   *
   * @throws IllegalStateException if the answer would be wrong
   */
  public static void requireRightDoubles() {
    requireRightDoubles(IS_RIGHT);
  }

  /**
   * To be called before anything is computed: gives BLAS no more threads than there are processors,
   * and says so. With more, OpenBLAS 0.3.28 ends the process.
   */
  public static void limitThreads() {
    int processors = Runtime.getRuntime().availableProcessors();
    BlasThreads.limitTo(processors)
        .ifPresent(
            threads ->
                LOG.warn(
                    "BLAS takes {} threads, one a processor, not {} as OMP_NUM_THREADS says",
                    processors,
                    threads));
  }

  static void requireRightDoubles(boolean isRight) {
    if (!isRight) {
      throw new IllegalStateException(
          "expected a BLAS that computes with doubles, got one that computes wrongly on this"
              + " processor (OpenBLAS 0.3.19 does with AVX-512): put the natives of"
              + " org.bytedeco:openblas:0.3.28-1.5.11 on the class path, or set"
              + " OPENBLAS_CORETYPE=HASWELL in the environment of this program");
    }
  }

  /** Whole numbers, so that nothing is rounded. */
  static boolean isRight(TriangularSolve blas) {
    double[] triangle = new double[SIZE * SIZE];
    double[] solution = new double[SIZE * SIZE];
    for (int i = 0; i < SIZE; i++) {
      for (int j = 0; j < SIZE; j++) {
        triangle[i * SIZE + j] = j < i ? 0 : j == i ? 1 : (7 * i + 3 * j) % 5;
        solution[i * SIZE + j] = (5 * i + 11 * j) % 7;
      }
    }
    double[] b = new double[SIZE * SIZE];
    for (int i = 0; i < SIZE; i++) {
      for (int k = i; k < SIZE; k++) {
        for (int j = 0; j < SIZE; j++) {
          b[i * SIZE + j] += triangle[i * SIZE + k] * solution[k * SIZE + j];
        }
      }
    }
    blas.solve(SIZE, triangle, b);
    for (int i = 0; i < b.length; i++) {
      if (b[i] != solution[i]) { // NaN too; −0 is as good as 0
        return false;
      }
    }
    return true;
  }
}
