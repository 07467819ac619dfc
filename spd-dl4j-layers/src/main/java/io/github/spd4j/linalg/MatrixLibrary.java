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
   * {@code C ← A B + β C}, for each matrix of a stack.
   *
   * @param a m×k
   * @param b k×n, of the same type
   * @param c m×n, of the same type, not transposed; overwritten
   * @param count how many products
   * @param beta β; 0 if C need not be initialised
   */
  void multiply(MatrixStack a, MatrixStack b, MatrixStack c, int count, double beta);

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
