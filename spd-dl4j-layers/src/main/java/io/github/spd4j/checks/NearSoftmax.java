/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.checks;

import org.nd4j.common.primitives.Pair;
import org.nd4j.linalg.activations.impl.ActivationSoftmax;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * The softmax of what is left when the largest number of each row is subtracted, which changes no
 * probability. ND4J's, of DOUBLE, does not do that if all are negative, and divides 0 by 0 far
 * below zero; of FLOAT it does.
 */
final class NearSoftmax extends ActivationSoftmax {

  private static final long serialVersionUID = 1L;

  @Override
  public INDArray getActivation(INDArray in, boolean training) {
    return super.getActivation(near(in), training);
  }

  @Override
  public Pair<INDArray, INDArray> backprop(INDArray in, INDArray epsilon) {
    return super.backprop(near(in), epsilon);
  }

  private static INDArray near(INDArray rows) {
    return rows.subi(rows.max(true, rows.rank() - 1));
  }
}
