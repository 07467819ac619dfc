/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.backend.host;

import static org.bytedeco.openblas.global.openblas.LAPACKE_dsyevd;
import static org.bytedeco.openblas.global.openblas.LAPACK_COL_MAJOR;
import static org.bytedeco.openblas.global.openblas.LAPACK_ROW_MAJOR;

import java.util.Arrays;
import org.bytedeco.javacpp.DoublePointer;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** Eigenvalues and eigenvectors by LAPACK's divide and conquer, faster than what ND4J calls. */
public final class HostEigen {

  private static final byte VECTORS = 'V';
  private static final byte UPPER = 'U';

  private HostEigen() {}

  /**
   * Decomposes symmetric matrices on the threads of the CPU, each of which takes some of them; see
   * {@link io.github.spd4j.backend.Algebra#eigen}.
   *
   * @param matrices [N, n, n] in C order, DOUBLE, on any device; not changed
   * @param values [N, n] in C order; overwritten
   * @param vectors [N, n, n] in C order; overwritten
   */
  public static void decompose(INDArray matrices, INDArray values, INDArray vectors) {
    BlasCheck.requireRightDoubles();
    int images = Math.toIntExact(matrices.size(0));
    int n = Math.toIntExact(matrices.size(1));
    double[] entries = HostDoubles.of(matrices);
    double[] found = new double[images * n];
    Workers.shareProducts(
        images,
        (worker, from, to) -> {
          double[] matrix = new double[n * n];
          double[] own = new double[n];
          for (int i = from; i < to; i++) {
            System.arraycopy(entries, i * n * n, matrix, 0, n * n);
            if (LAPACKE_dsyevd(LAPACK_ROW_MAJOR, VECTORS, UPPER, n, matrix, n, own) != 0) {
              Arrays.fill(own, Double.NaN);
            }
            System.arraycopy(matrix, 0, entries, i * n * n, n * n);
            System.arraycopy(own, 0, found, i * n, n);
          }
        });
    values.assign(Nd4j.createFromArray(found).reshape(images, n));
    vectors.assign(Nd4j.createFromArray(entries).reshape(images, n, n));
  }

  /**
   * Decomposes one symmetric matrix, which is overwritten.
   *
   * @param job 'V' if eigenvectors are to overwrite it, 'N' if eigenvalues are enough
   * @param matrix [n, n] in Fortran order, DOUBLE, in main memory
   * @param values [n], DOUBLE, in main memory; overwritten
   * @return what LAPACK returns: 0 if eigenvalues were found
   */
  public static int overwrite(char job, INDArray matrix, INDArray values) {
    BlasCheck.requireRightDoubles();
    int n = matrix.rows();
    return LAPACKE_dsyevd(
        LAPACK_COL_MAJOR,
        (byte) job,
        UPPER,
        n,
        (DoublePointer) matrix.data().addressPointer(),
        n,
        (DoublePointer) values.data().addressPointer());
  }
}
