/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.backend.host;

import static org.bytedeco.openblas.global.openblas.LAPACKE_dsyevd;
import static org.bytedeco.openblas.global.openblas.LAPACKE_dsyevd_work;
import static org.bytedeco.openblas.global.openblas.LAPACK_COL_MAJOR;

import java.lang.ref.Reference;
import org.bytedeco.javacpp.DoublePointer;
import org.bytedeco.javacpp.IntPointer;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** Eigenvalues and eigenvectors by LAPACK's divide and conquer, faster than what ND4J calls. */
public final class HostEigen {

  private static final byte VECTORS = 'V';
  private static final byte UPPER = 'U';
  private static final byte LOWER = 'L';

  /** So many rows and columns lie in the processor's first cache. */
  private static final int TILE = 16;

  /** Copies the numbers of a matrix to an array of Java. */
  private interface Reader {
    void read(int matrix, double[] numbers);
  }

  /** Takes the eigenvalues of a matrix, and its eigenvectors, each a column. */
  private interface Writer {
    void write(int matrix, double[] values, double[] vectors);
  }

  private HostEigen() {}

  /**
   * Decomposes the symmetric parts of matrices on the threads of the CPU, each of which takes some
   * of them; see {@link io.github.spd4j.internal.backend.Algebra#eigen}.
   *
   * @param matrices [N, n, n] in C order, on any device; not changed
   * @param values [N, n] in C order, DOUBLE; overwritten
   * @param vectors [N, n, n] in C order, DOUBLE; overwritten
   */
  public static void decompose(INDArray matrices, INDArray values, INDArray vectors) {
    BlasCheck.requireRightDoubles();
    int images = Math.toIntExact(matrices.size(0));
    int n = Math.toIntExact(matrices.size(1));
    if (HostDoubles.isPossible(values)) {
      DoublePointer toValues = new DoublePointer(values.data().addressPointer());
      DoublePointer toVectors = new DoublePointer(vectors.data().addressPointer());
      decompose(
          images,
          n,
          reader(matrices, n * n),
          (matrix, own, columns) -> {
            at(toValues, (long) matrix * n).put(own, 0, n);
            at(toVectors, (long) matrix * n * n).put(columns, 0, n * n);
          });
      Reference.reachabilityFence(matrices);
      Reference.reachabilityFence(values);
      Reference.reachabilityFence(vectors);
      return;
    }
    double[] found = new double[images * n];
    double[] entries = HostDoubles.of(matrices);
    decompose(
        images,
        n,
        (matrix, numbers) -> System.arraycopy(entries, matrix * n * n, numbers, 0, n * n),
        (matrix, own, columns) -> {
          System.arraycopy(own, 0, found, matrix * n, n);
          System.arraycopy(columns, 0, entries, matrix * n * n, n * n);
        });
    values.assign(Nd4j.createFromArray(found).reshape(images, n));
    vectors.assign(Nd4j.createFromArray(entries).reshape(images, n, n));
  }

  private static Reader reader(INDArray matrices, int length) {
    if (HostFloats.isPossible(matrices)) {
      HostFloats floats = new HostFloats(matrices);
      return (matrix, numbers) -> {
        float[] own = new float[length];
        floats.read((long) matrix * length, own, length);
        for (int k = 0; k < length; k++) {
          numbers[k] = own[k];
        }
      };
    }
    DoublePointer from = new DoublePointer(matrices.data().addressPointer());
    return (matrix, numbers) -> at(from, (long) matrix * length).get(numbers, 0, length);
  }

  /** A pointer of the caller's own, since its position changes. */
  private static DoublePointer at(DoublePointer numbers, long place) {
    return new DoublePointer(numbers).position(place);
  }

  private static void decompose(int images, int n, Reader reader, Writer writer) {
    int length = n * n;
    int size = Math.toIntExact(1 + 6L * n + 2L * length); // as LAPACK's manual says
    int sizeOfIntegers = 3 + 5 * n;
    Workers.shareProducts(
        images,
        (worker, first, end) -> {
          double[] numbers = new double[length];
          double[] columns = new double[length];
          double[] own = new double[n];
          try (DoublePointer matrix = new DoublePointer(length);
              DoublePointer values = new DoublePointer(n);
              DoublePointer work = new DoublePointer(size);
              IntPointer integers = new IntPointer(sizeOfIntegers)) {
            for (int i = first; i < end; i++) {
              reader.read(i, numbers);
              averageTriangles(numbers, n);
              matrix.put(numbers, 0, length);
              int status =
                  LAPACKE_dsyevd_work(
                      LAPACK_COL_MAJOR,
                      VECTORS,
                      LOWER,
                      n,
                      matrix,
                      n,
                      values,
                      work,
                      size,
                      integers,
                      sizeOfIntegers);
              values.put(0, status == 0 ? values.get(0) : Double.NaN);
              values.get(own, 0, n);
              matrix.get(numbers, 0, length);
              transpose(numbers, n, columns);
              writer.write(i, own, columns);
            }
          }
        });
  }

  /** Puts the symmetric part into the upper triangle, which is the lower one for LAPACK. */
  private static void averageTriangles(double[] matrix, int n) {
    for (int top = 0; top < n; top += TILE) {
      for (int left = top; left < n; left += TILE) {
        for (int i = top; i < Math.min(n, top + TILE); i++) {
          for (int j = Math.max(i, left); j < Math.min(n, left + TILE); j++) {
            matrix[i * n + j] = 0.5 * matrix[i * n + j] + 0.5 * matrix[j * n + i];
          }
        }
      }
    }
  }

  private static void transpose(double[] matrix, int n, double[] target) {
    for (int top = 0; top < n; top += TILE) {
      for (int left = 0; left < n; left += TILE) {
        for (int i = top; i < Math.min(n, top + TILE); i++) {
          for (int j = left; j < Math.min(n, left + TILE); j++) {
            target[j * n + i] = matrix[i * n + j];
          }
        }
      }
    }
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
