/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.operators.charts;

import io.github.spd4j.backend.Saved;
import io.github.spd4j.linalg.Cholesky;
import io.github.spd4j.linalg.Matrices;
import java.util.function.DoubleBinaryOperator;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** The lower triangle of Cholesky's factor, with the logarithm of its diagonal. */
final class LogCholeskyChart implements Chart {

  private static final String FACTORS = "factors";
  private static final String NEW_FACTORS = "factors of the inverse";

  @Override
  public INDArray forward(INDArray matrices, Saved saved) {
    INDArray factors = saved.keep(FACTORS, Cholesky.of(matrices));
    return triangle(matrices).pack(onDiagonals(factors, factors, (l, same) -> Math.log(l)));
  }

  @Override
  public INDArray backward(INDArray gradient, Saved saved) {
    INDArray factors = saved.get(FACTORS);
    INDArray byCoordinates = triangle(factors).unpack(gradient);
    return Cholesky.backward(factors, onDiagonals(byCoordinates, factors, (g, l) -> g / l));
  }

  @Override
  public INDArray inverse(INDArray vectors, Saved saved) {
    INDArray coordinates = Triangle.lower(Chart.rows(vectors.size(1))).unpack(vectors);
    INDArray factors =
        saved.keep(
            NEW_FACTORS, onDiagonals(coordinates, coordinates, (log, same) -> Math.exp(log)));
    return Matrices.transposeSecond(factors, factors);
  }

  @Override
  public INDArray inverseBackward(INDArray gradient, Saved saved) {
    INDArray factors = saved.get(NEW_FACTORS);
    INDArray byFactors = Matrices.product(Matrices.symmetricPart(gradient), factors).muli(2);
    return triangle(factors).pack(onDiagonals(byFactors, factors, (g, l) -> g * l));
  }

  private static Triangle triangle(INDArray matrices) {
    return Triangle.lower(Math.toIntExact(matrices.size(1)));
  }

  /** A copy, with a function of its diagonals and of those of other matrices. */
  private static INDArray onDiagonals(
      INDArray matrices, INDArray others, DoubleBinaryOperator function) {
    long n = matrices.size(1);
    INDArray result = matrices.dup('c');
    for (long i = 0; i < matrices.size(0); i++) {
      for (long k = 0; k < n; k++) {
        double value =
            function.applyAsDouble(matrices.getDouble(i, k, k), others.getDouble(i, k, k));
        result.putScalar(new long[] {i, k, k}, value);
      }
    }
    return result;
  }

  @Override
  public SDVariable define(SameDiff sd, SDVariable matrices, int n) {
    SDVariable factors = sd.linalg().cholesky(matrices.castTo(DataType.DOUBLE));
    SDVariable identity = identity(sd, n);
    SDVariable positive = factors.mul(identity).add(identity.rsub(1)); // ones off the diagonal
    SDVariable below = factors.sub(factors.mul(identity));
    return Triangle.lower(n).definePack(sd, below.add(sd.math().log(positive)));
  }

  @Override
  public SDVariable defineInverse(SameDiff sd, SDVariable vectors, int n) {
    SDVariable coordinates = Triangle.lower(n).defineUnpack(sd, vectors);
    SDVariable identity = identity(sd, n);
    SDVariable diagonal = coordinates.mul(identity);
    SDVariable factors = coordinates.sub(diagonal).add(sd.math().exp(diagonal).mul(identity));
    return sd.mmul(factors, factors, false, true, false);
  }

  private static SDVariable identity(SameDiff sd, int n) {
    return sd.constant(Nd4j.eye(n).castTo(DataType.DOUBLE).reshape(1, n, n));
  }
}
