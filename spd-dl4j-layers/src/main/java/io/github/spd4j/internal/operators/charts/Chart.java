/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.charts;

import io.github.spd4j.internal.backend.ForwardPass;
import io.github.spd4j.linalg.SymmetricEigen;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * Coordinates φ in which the symmetric positive definite matrices are a vector space: the Euclidean
 * distance of two vectors is the distance of the matrices under a flat metric.
 *
 * <pre>
 * log-Euclidean   φ(X) = [Z₁₁, √2 Z₁₂, …, Z₂₂, √2 Z₂₃, …, Zₙₙ],  Z = log X
 * log-Cholesky    φ(X) = [log L₁₁, L₂₁, log L₂₂, L₃₁, …, log Lₙₙ],  X = LLᵀ
 * </pre>
 *
 * <p>Backward, through the logarithm and the exponential: {@link
 * io.github.spd4j.linalg.SpectralFunction}; through the factor: {@link
 * io.github.spd4j.linalg.Cholesky#backward}, and of X = LLᵀ, with the symmetric part S of ∂L/∂X,
 * the lower triangle of 2SL.
 */
public interface Chart {

  /**
   * The chart of the log-Euclidean metric.
   *
   * @param floor what smaller eigenvalues of X are raised to, greater than 0
   * @return the chart
   */
  static Chart logEuclidean(double floor) {
    return new LogEuclideanChart(floor, SymmetricEigen::of);
  }

  /**
   * The chart of the log-Euclidean metric, for matrices that are known to be positive definite. It
   * refuses others.
   *
   * @return the chart
   */
  static Chart logEuclidean() {
    return new LogEuclideanChart(Double.MIN_NORMAL, SymmetricEigen::ofPositiveDefinite);
  }

  /**
   * The chart of the log-Cholesky metric.
   *
   * @return the chart
   */
  static Chart logCholesky() {
    return new LogCholeskyChart();
  }

  /**
   * The coordinates of matrices.
   *
   * @param matrices X [N, n, n]; not changed
   * @param saved takes what {@link #backward} needs
   * @return φ(X) [N, n(n+1)/2], DOUBLE
   * @throws ArithmeticException if the chart has no floor and a matrix is not positive definite
   */
  INDArray forward(INDArray matrices, ForwardPass saved);

  /**
   * The gradient by the matrices of what depends on their coordinates.
   *
   * @param gradient the gradient by φ(X) [N, n(n+1)/2], DOUBLE; not changed
   * @param saved of {@link #forward}
   * @return the gradient by X [N, n, n], DOUBLE, symmetric
   */
  INDArray backward(INDArray gradient, ForwardPass saved);

  /**
   * The matrices with given coordinates.
   *
   * @param vectors [N, n(n+1)/2], DOUBLE; not changed
   * @param saved takes what {@link #inverseBackward} needs
   * @return φ⁻¹ of them [N, n, n], DOUBLE
   */
  INDArray inverse(INDArray vectors, ForwardPass saved);

  /**
   * The gradient by the coordinates of what depends on the matrices.
   *
   * @param gradient the gradient by the matrices [N, n, n], DOUBLE; only its symmetric part counts
   * @param saved of {@link #inverse}
   * @return the gradient by the coordinates [N, n(n+1)/2], DOUBLE
   */
  INDArray inverseBackward(INDArray gradient, ForwardPass saved);

  /**
   * How fast the coordinates change along tangent vectors, dφ(X)[ξ].
   *
   * @param matrices X [N, n, n], DOUBLE; not changed
   * @param tangents ξ [N, n, n], DOUBLE, symmetric; not changed
   * @return [N, n(n+1)/2], DOUBLE
   */
  INDArray differential(INDArray matrices, INDArray tangents);

  /**
   * The tangent vectors along which the coordinates change so: the inverse of {@link
   * #differential}.
   *
   * @param matrices X [N, n, n], DOUBLE; not changed
   * @param changes [N, n(n+1)/2], DOUBLE; not changed
   * @return ξ [N, n, n], DOUBLE, symmetric
   */
  INDArray tangents(INDArray matrices, INDArray changes);

  /**
   * Defines φ in SameDiff.
   *
   * @param sd where to define it
   * @param matrices X [N, n, n]
   * @param n the rows of a matrix
   * @return φ(X) [N, n(n+1)/2], DOUBLE
   */
  SDVariable define(SameDiff sd, SDVariable matrices, int n);

  /**
   * Defines φ⁻¹ in SameDiff.
   *
   * @param sd where to define it
   * @param vectors [N, n(n+1)/2], DOUBLE
   * @param n the rows of a matrix
   * @return φ⁻¹ of them [N, n, n], DOUBLE
   */
  SDVariable defineInverse(SameDiff sd, SDVariable vectors, int n);
}
