/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.linalg;

import java.util.Optional;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * Work on many small matrices by a library that ND4J itself does not use for it. Found as a
 * service; {@code spd-dl4j-cuda} has one for NVIDIA GPUs.
 */
public interface MatrixLibrary {

  /**
   * The one for the present backend.
   *
   * @return empty if there is none
   */
  static Optional<MatrixLibrary> ofBackend() {
    return MatrixLibraries.OF_BACKEND;
  }

  /**
   * Whether it works on the arrays of the present backend.
   *
   * @return true if so
   */
  boolean isForBackend();

  /**
   * {@code C ← α A B + β C}, for each matrix of a stack.
   *
   * @param alpha α
   * @param a m×k
   * @param b k×n, of the same type
   * @param beta β; 0 if C need not be initialised
   * @param c m×n, of the same type, not transposed; overwritten
   * @param count how many products
   */
  void multiply(double alpha, MatrixStack a, MatrixStack b, double beta, MatrixStack c, int count);

  /**
   * Multiplies each row of a matrix by its factor.
   *
   * @param matrix [m, n] in C order; changed
   * @param factors m numbers of the same type, without gaps
   */
  void scaleRows(INDArray matrix, INDArray factors);

  /**
   * Multiplies each column of a matrix by its factor.
   *
   * @param matrix [m, n] in C order; changed
   * @param factors n numbers of the same type, without gaps
   */
  void scaleColumns(INDArray matrix, INDArray factors);

  /**
   * Copies elements to another array of the same type; both are in C order.
   *
   * @param source the array to copy from
   * @param from the place of the first element in it
   * @param target the array to copy to
   * @param to the place of the first element in it
   * @param step how far apart the elements are in the target; in the source it is 1
   * @param count how many
   */
  void copy(INDArray source, long from, INDArray target, long to, int step, int count);

  /**
   * Copies the upper triangles of square matrices, row by row, to vectors.
   *
   * @param matrices [N, n, n] in C order; not changed
   * @param vectors [N, n(n+1)/2] in C order; overwritten
   */
  void packTriangles(INDArray matrices, INDArray vectors);

  /**
   * Copies vectors to the upper triangles of square matrices, row by row. Below the diagonals
   * nothing changes.
   *
   * @param vectors [N, n(n+1)/2] in C order; not changed
   * @param matrices [N, n, n] in C order
   */
  void unpackTriangles(INDArray vectors, INDArray matrices);

  /**
   * {@code B ← α (A + Aᵀ)}, for each matrix of a stack.
   *
   * @param matrices A [N, n, n] in C order; not changed
   * @param alpha α
   * @param sums B [N, n, n] in C order, another array; overwritten
   */
  void addTransposed(INDArray matrices, double alpha, INDArray sums);
}
