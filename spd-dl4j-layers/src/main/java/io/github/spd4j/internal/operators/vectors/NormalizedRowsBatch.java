/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.vectors;

import io.github.spd4j.internal.backend.Algebra;
import io.github.spd4j.internal.backend.ForwardPass;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** {@link NormalizedRows} over an {@link Algebra}, a whole batch at a time. */
final class NormalizedRowsBatch implements NormalizedRows {

  private final VectorNormalizationBatch normalization;

  private INDArray ones;

  NormalizedRowsBatch(VectorNormalization normalization, Algebra algebra) {
    this.normalization = new VectorNormalizationBatch(normalization, algebra);
  }

  @Override
  public void forward(INDArray vectors, INDArray results, ForwardPass saved) {
    if (ones == null || ones.length() != vectors.size(1)) {
      ones = Nd4j.ones(vectors.dataType(), 1, vectors.size(1));
    }
    normalization.forward(vectors, ones, results, saved);
  }

  @Override
  public void backward(INDArray gradient, ForwardPass saved) {
    normalization.backward(gradient, saved);
    gradient.muli(normalization.remainingFactor());
  }
}
