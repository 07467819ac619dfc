/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.manifold;

import io.github.spd4j.linalg.Cholesky;
import io.github.spd4j.linalg.Matrices;
import java.util.function.DoubleBinaryOperator;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * Cholesky's factor L of a matrix as its coordinates, with the logarithm of its diagonal.
 *
 * <pre>
 * dL = L ⌊L⁻¹ ξ L⁻ᵀ⌋,   ξ = dL Lᵀ + L dLᵀ,   ⌊·⌋: what is below the diagonal, and half of that
 * </pre>
 */
final class CholeskyChart implements FlatMetric.Chart {

  @Override
  public INDArray coordinates(INDArray points) {
    return onDiagonals(Cholesky.of(points), null, (l, none) -> Math.log(l));
  }

  @Override
  public INDArray points(INDArray coordinates) {
    INDArray factors = onDiagonals(coordinates, null, (x, none) -> Math.exp(x));
    return Matrices.transposeSecond(factors, factors);
  }

  @Override
  public INDArray differential(INDArray points, INDArray tangents) {
    INDArray factors = Cholesky.of(points);
    INDArray inverse = Cholesky.inverse(factors);
    INDArray turned = Matrices.transposeSecond(Matrices.product(inverse, tangents), inverse);
    INDArray change = Matrices.product(factors, Cholesky.lowerHalf(turned));
    return onDiagonals(change, factors, (d, l) -> d / l);
  }

  @Override
  public INDArray tangents(INDArray points, INDArray changes) {
    INDArray factors = Cholesky.of(points);
    INDArray derivative = onDiagonals(changes, factors, (change, l) -> change * l);
    INDArray half = Matrices.transposeSecond(derivative, factors);
    return half.add(Matrices.transpose(half));
  }

  /** A copy with a function of the diagonal, and of the diagonal of other matrices. */
  private static INDArray onDiagonals(
      INDArray matrices, INDArray others, DoubleBinaryOperator function) {
    INDArray result = matrices.dup('c');
    for (long i = 0; i < matrices.size(0); i++) {
      for (long k = 0; k < matrices.size(1); k++) {
        double other = others == null ? 0 : others.getDouble(i, k, k);
        double value = function.applyAsDouble(matrices.getDouble(i, k, k), other);
        result.putScalar(new long[] {i, k, k}, value);
      }
    }
    return result;
  }
}
