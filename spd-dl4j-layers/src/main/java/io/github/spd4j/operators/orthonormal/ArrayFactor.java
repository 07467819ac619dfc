/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.operators.orthonormal;

import io.github.spd4j.linalg.Matrices;
import io.github.spd4j.linalg.NumericPolicy;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * The polar factor of any array on any backend. On a GPU each operation takes longer to start than
 * a product of usual size takes to compute, and each number that is read back waits for the card.
 */
final class ArrayFactor extends PolarIteration {

  private INDArray x;
  private INDArray excess;

  /**
   * A factor.
   *
   * @param a [n, p], n ≥ p, FLOAT or DOUBLE; not changed
   */
  ArrayFactor(INDArray a) {
    super(NumericPolicy.epsilon(a.dataType()));
    x = a;
  }

  @Override
  INDArray x() {
    return x;
  }

  @Override
  double computeExcess() {
    excess = Matrices.gramMinusIdentity(x);
    return excess.norm2Number().doubleValue();
  }

  @Override
  void shrink() {
    x = x.div(Math.sqrt(Matrices.transposeFirst(x, x).norm1(1).maxNumber().doubleValue()));
  }

  @Override
  void linearStep() {
    x = Matrices.plusProduct(x, -0.5, x, excess);
  }

  @Override
  void quadraticStep() {
    INDArray series = Matrices.addProduct(excess.mul(-0.5), 0.375, excess, excess);
    x = Matrices.plusProduct(x, 1, x, series);
  }
}
