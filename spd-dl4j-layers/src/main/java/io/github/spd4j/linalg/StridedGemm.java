/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.linalg;

import java.util.Optional;

/**
 * Products of many small matrices in one call, by a library that ND4J itself does not use for them.
 * Found as a service; {@code spd-dl4j-cuda} has one for NVIDIA GPUs.
 */
public interface StridedGemm {

  /**
   * The one for the present backend.
   *
   * @return empty if there is none
   */
  static Optional<StridedGemm> ofBackend() {
    return StridedGemms.OF_BACKEND;
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
}
