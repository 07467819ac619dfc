/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.vectors;

import io.github.spd4j.internal.backend.Algebra;
import io.github.spd4j.internal.backend.ForwardPass;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/** {@link Vectors} over an {@link Algebra}, a whole batch at a time. */
final class VectorsBatch implements Vectors {

  private final VectorNormalizationBatch normalization;
  private final Algebra algebra;

  /** What the entries of a vector are multiplied by on the way forward, and on the way back. */
  private INDArray forwardWeights;

  private INDArray backwardWeights;

  VectorsBatch(VectorNormalization normalization, Algebra algebra) {
    this.normalization = new VectorNormalizationBatch(normalization, algebra);
    this.algebra = algebra;
  }

  @Override
  public void forward(INDArray matrices, INDArray vectors, ForwardPass saved) {
    DataType type = vectors.dataType();
    prepare(type, (int) matrices.size(2));
    INDArray raw = saved.keep(type, VectorNormalizationBatch.POWERED, vectors.shape());
    algebra.packTriangles(matrices, raw);
    normalization.forward(raw, forwardWeights, vectors, saved);
  }

  @Override
  public void backward(INDArray gradient, INDArray matricesGradient, ForwardPass saved) {
    INDArray g = saved.scratch().array(gradient.dataType(), "gradient", gradient.shape());
    algebra.copy(gradient, g);
    normalization.backward(g, saved);
    algebra.scaleColumns(g, backwardWeights, g);
    algebra.unpackSymmetric(g, matricesGradient);
  }

  private void prepare(DataType type, int n) {
    int length = Triangle.length(n);
    if (forwardWeights == null || forwardWeights.length() != length) {
      forwardWeights = Triangle.symmetric(n).forwardWeights(type);
      backwardWeights =
          Triangle.symmetric(n).backwardWeights(type).muli(normalization.remainingFactor());
    }
  }
}
