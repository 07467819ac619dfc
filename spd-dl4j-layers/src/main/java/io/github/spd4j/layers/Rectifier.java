/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

/** What happens to the entries of a transformed matrix. */
public enum Rectifier {

  /** Nothing: Y is symmetric, and positive definite if K is. */
  NONE,

  /**
   * {@code max(Y_ij, 0)}, the paper's nonlinearity.
   *
   * <p>The paper says (Theorem 4) that the result is positive definite again. That is not so: with
   * unit diagonal and (m₁₂, m₁₃, m₁₄, m₂₃, m₂₄, m₃₄) = (−0.5, 0, 0.6, 0.6, 0, 0.7) the smallest
   * eigenvalue goes from +0.051 to −0.045. About half of the entries of a Y off the diagonal are
   * negative, and all of them are lost. Never feed its output to a matrix logarithm.
   */
  RELU
}
