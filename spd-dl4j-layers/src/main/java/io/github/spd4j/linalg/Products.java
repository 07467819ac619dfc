/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.linalg;

import org.nd4j.linalg.api.blas.params.MMulTranspose;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.api.ops.impl.reduce.Mmul;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.INDArrayIndex;
import org.nd4j.linalg.indexing.NDArrayIndex;

/**
 * Matrix products into arrays that are there already. Views with rows or columns without gaps are
 * handed to BLAS as they are.
 */
public final class Products {

  /** Symmetric products are computed in strips of this many rows, from the diagonal on. */
  private static final long STRIP = 256;

  private Products() {}

  /**
   * {@code target ← alpha · a b + beta · target}, with a or b transposed if wanted.
   *
   * @param alpha factor of the product
   * @param a a matrix
   * @param transposeA whether its transpose is meant
   * @param b a matrix
   * @param transposeB whether its transpose is meant
   * @param beta factor of what was there; with 0 it is not read
   * @param target the result, changed by this method
   */
  public static void multiply(
      double alpha,
      INDArray a,
      boolean transposeA,
      INDArray b,
      boolean transposeB,
      double beta,
      INDArray target) {
    MMulTranspose transpose =
        MMulTranspose.builder().transposeA(transposeA).transposeB(transposeB).build();
    Nd4j.exec(new Mmul(a, b, target, alpha, beta, transpose));
  }

  /**
   * The upper triangle of {@code alpha · a b} for a product that is symmetric, and with it some of
   * the lower one: at 512 rows three quarters of the whole, less for more.
   *
   * @param alpha a factor
   * @param a a matrix
   * @param transposeA whether its transpose is meant
   * @param b a matrix
   * @param transposeB whether its transpose is meant
   * @param target [n, n], changed by this method; what lies below the diagonal has no meaning then
   */
  public static void upperTriangle(
      double alpha,
      INDArray a,
      boolean transposeA,
      INDArray b,
      boolean transposeB,
      INDArray target) {
    long n = target.size(0);
    for (long from = 0; from < n; from += STRIP) {
      long to = Math.min(n, from + STRIP);
      multiply(
          alpha,
          part(a, transposeA, from, to),
          transposeA,
          part(b, !transposeB, from, n),
          transposeB,
          0,
          from == 0 && to == n ? target : block(target, from, to, n));
    }
  }

  /** Rows of a matrix, or columns. */
  private static INDArray part(INDArray matrix, boolean columns, long from, long to) {
    if (from == 0 && to == matrix.size(columns ? 1 : 0)) {
      return matrix;
    }
    INDArrayIndex some = NDArrayIndex.interval(from, to);
    return columns ? matrix.get(NDArrayIndex.all(), some) : matrix.get(some, NDArrayIndex.all());
  }

  private static INDArray block(INDArray matrix, long from, long to, long end) {
    return matrix.get(NDArrayIndex.interval(from, to), NDArrayIndex.interval(from, end));
  }
}
