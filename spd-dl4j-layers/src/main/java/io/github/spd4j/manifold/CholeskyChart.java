/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.manifold;

import io.github.spd4j.backend.MatrixStack;
import io.github.spd4j.linalg.Cholesky;
import io.github.spd4j.linalg.Matrices;
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
    return Cholesky.withLogDiagonals(Cholesky.of(points));
  }

  @Override
  public INDArray points(INDArray coordinates) {
    INDArray factors = Cholesky.withExpDiagonals(coordinates);
    return Matrices.transposeSecond(factors, factors);
  }

  @Override
  public INDArray differential(INDArray points, INDArray tangents) {
    INDArray factors = Cholesky.of(points);
    INDArray inverse = Cholesky.inverse(factors);
    INDArray turned = Matrices.transposeSecond(Matrices.product(inverse, tangents), inverse);
    INDArray change = Matrices.product(factors, Cholesky.lowerHalf(turned));
    MatrixStack.diagonals(change).divi(MatrixStack.diagonals(factors));
    return change;
  }

  @Override
  public INDArray tangents(INDArray points, INDArray changes) {
    INDArray factors = Cholesky.of(points);
    INDArray derivative = changes.dup('c');
    MatrixStack.diagonals(derivative).muli(MatrixStack.diagonals(factors));
    INDArray half = Matrices.transposeSecond(derivative, factors);
    return half.add(Matrices.transpose(half));
  }
}
