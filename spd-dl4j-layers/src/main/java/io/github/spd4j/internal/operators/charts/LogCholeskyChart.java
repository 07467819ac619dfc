/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.charts;

import io.github.spd4j.internal.backend.Definitions;
import io.github.spd4j.internal.backend.ForwardPass;
import io.github.spd4j.internal.backend.MatrixStack;
import io.github.spd4j.internal.operators.vectors.Triangle;
import io.github.spd4j.linalg.Cholesky;
import io.github.spd4j.linalg.Matrices;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * The lower triangle of Cholesky's factor, with the logarithm of its diagonal.
 *
 * <pre>
 * dL = L ⌊L⁻¹ ξ L⁻ᵀ⌋,   ξ = dL Lᵀ + L dLᵀ,   ⌊·⌋: what is below the diagonal, and half of that
 * </pre>
 */
final class LogCholeskyChart implements Chart {

  private static final String FACTORS = "factors";
  private static final String NEW_FACTORS = "factors of the inverse";

  @Override
  public INDArray forward(INDArray matrices, ForwardPass saved) {
    INDArray factors = saved.keep(FACTORS, Cholesky.of(matrices));
    return triangle(matrices).pack(Cholesky.withLogDiagonals(factors));
  }

  @Override
  public INDArray backward(INDArray gradient, ForwardPass saved) {
    INDArray factors = saved.get(FACTORS);
    INDArray byFactors = triangle(factors).unpack(gradient);
    MatrixStack.diagonals(byFactors).divi(MatrixStack.diagonals(factors));
    return Cholesky.backward(factors, byFactors);
  }

  @Override
  public INDArray inverse(INDArray vectors, ForwardPass saved) {
    INDArray coordinates = Triangle.lower(Triangle.rows(vectors.size(1))).unpack(vectors);
    INDArray factors = saved.keep(NEW_FACTORS, Cholesky.withExpDiagonals(coordinates));
    return Matrices.transposeSecond(factors, factors);
  }

  @Override
  public INDArray inverseBackward(INDArray gradient, ForwardPass saved) {
    INDArray factors = saved.get(NEW_FACTORS);
    INDArray byFactors = Matrices.product(Matrices.symmetricPart(gradient), factors).muli(2);
    MatrixStack.diagonals(byFactors).muli(MatrixStack.diagonals(factors));
    return triangle(factors).pack(byFactors);
  }

  @Override
  public INDArray differential(INDArray matrices, INDArray tangents) {
    INDArray factors = Cholesky.of(matrices);
    INDArray inverse = Cholesky.inverse(factors);
    INDArray turned = Matrices.transposeSecond(Matrices.product(inverse, tangents), inverse);
    INDArray change = Matrices.product(factors, Cholesky.lowerHalf(turned));
    MatrixStack.diagonals(change).divi(MatrixStack.diagonals(factors));
    return triangle(matrices).pack(change);
  }

  @Override
  public INDArray tangents(INDArray matrices, INDArray changes) {
    INDArray factors = Cholesky.of(matrices);
    INDArray derivative = triangle(matrices).unpack(changes);
    MatrixStack.diagonals(derivative).muli(MatrixStack.diagonals(factors));
    INDArray half = Matrices.transposeSecond(derivative, factors);
    return half.add(Matrices.transpose(half));
  }

  private static Triangle triangle(INDArray matrices) {
    return Triangle.lower(Math.toIntExact(matrices.size(1)));
  }

  @Override
  public SDVariable define(SameDiff sd, SDVariable matrices, int n) {
    SDVariable identity = Definitions.identity(sd, DataType.DOUBLE, n);
    SDVariable factors = factors(sd, matrices.castTo(DataType.DOUBLE), identity, n);
    SDVariable positive = factors.mul(identity).add(identity.rsub(1)); // ones off the diagonal
    SDVariable below = factors.sub(factors.mul(identity));
    return Triangle.lower(n).define(sd, below.add(sd.math().log(positive)));
  }

  /**
   * Cholesky's factors L of A, which SameDiff has no gradient of: {@code L₀ (I + ⌊L₀⁻¹ (A − A₀)
   * L₀⁻ᵀ⌋)}, where A₀ and L₀ are A and L as constants.
   */
  private static SDVariable factors(SameDiff sd, SDVariable a, SDVariable identity, int n) {
    SDVariable known = Definitions.held(sd, Definitions.symmetric(sd, a)); // or it is refused
    SDVariable factors = sd.linalg().cholesky(known);
    SDVariable inverse = sd.math().matrixInverse(factors);
    SDVariable change = Definitions.symmetric(sd, a.sub(known));
    SDVariable left = sd.mmul(inverse, change, false, false, false);
    SDVariable both = sd.mmul(left, inverse, false, true, false);
    SDVariable half =
        both.mul(sd.constant(Cholesky.lowerHalf(Nd4j.ones(DataType.DOUBLE, 1, n, n))));
    return factors.add(sd.mmul(factors, half, false, false, false));
  }

  @Override
  public SDVariable defineInverse(SameDiff sd, SDVariable vectors, int n) {
    SDVariable coordinates = Triangle.lower(n).defineUnpack(sd, vectors);
    SDVariable identity = Definitions.identity(sd, DataType.DOUBLE, n);
    SDVariable diagonal = coordinates.mul(identity);
    SDVariable factors = coordinates.sub(diagonal).add(sd.math().exp(diagonal).mul(identity));
    return sd.mmul(factors, factors, false, true, false);
  }
}
