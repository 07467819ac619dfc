/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import io.github.spd4j.backend.Algebra;
import io.github.spd4j.backend.MatrixStack;
import io.github.spd4j.layers.runtime.Fused;
import io.github.spd4j.layers.runtime.Saved;
import io.github.spd4j.operators.vectors.UpperTriangle;
import io.github.spd4j.operators.vectors.VectorNormalization;
import io.github.spd4j.operators.vectors.VectorsBatch;
import java.util.Map;
import org.nd4j.linalg.api.ndarray.INDArray;

/** The passes of an {@link SpdVectorizationLayer} by a {@link Algebra}. */
final class StackedVectorization implements Fused {

  private final VectorNormalization normalization;
  private final Algebra library;
  private VectorsBatch vectors;

  StackedVectorization(VectorNormalization normalization, Algebra library) {
    this.normalization = normalization;
    this.library = library;
  }

  private VectorsBatch vectors(int size) {
    if (vectors == null || vectors.size() != size) {
      vectors = new VectorsBatch(size, normalization, library);
    }
    return vectors;
  }

  private static int size(INDArray input) {
    return Math.toIntExact(input.size(2));
  }

  @Override
  public boolean handles(INDArray input) {
    return true;
  }

  @Override
  public INDArray forward(
      INDArray input, Map<String, INDArray> params, Results results, boolean training) {
    INDArray matrices = MatrixStack.inOrder(input);
    int n = size(input);
    INDArray output = results.create(input.size(0), UpperTriangle.length(n));
    vectors(n).forward(matrices.reshape(-1, n, n), output);
    return output;
  }

  @Override
  public INDArray backward(
      Saved saved, INDArray gradient, Map<String, INDArray> paramGradients, Results results) {
    INDArray result = results.create(saved.input().shape());
    int n = size(saved.input());
    vectors(n).backward(gradient, result.reshape(-1, n, n));
    return result;
  }
}
