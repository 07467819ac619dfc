/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import io.github.spd4j.layers.runtime.Fused;
import io.github.spd4j.layers.runtime.Saved;
import io.github.spd4j.linalg.MatrixLibrary;
import io.github.spd4j.linalg.MatrixStack;
import io.github.spd4j.linalg.StackedVectors;
import io.github.spd4j.linalg.UpperTriangle;
import io.github.spd4j.linalg.VectorNormalization;
import java.util.Map;
import org.nd4j.linalg.api.ndarray.INDArray;

/** The passes of an {@link SpdVectorizationLayer} by a {@link MatrixLibrary}. */
final class StackedVectorization implements Fused {

  private final int n;
  private final StackedVectors vectors;

  StackedVectorization(int n, VectorNormalization normalization, MatrixLibrary library) {
    this.n = n;
    this.vectors = new StackedVectors(n, normalization, library);
  }

  @Override
  public boolean handles(INDArray input) {
    return true;
  }

  @Override
  public INDArray forward(
      INDArray input, Map<String, INDArray> params, Results results, boolean training) {
    INDArray matrices = MatrixStack.isInOrder(input) ? input : input.dup('c');
    INDArray output = results.create(input.size(0), UpperTriangle.length(n));
    vectors.forward(matrices.reshape(-1, n, n), output);
    return output;
  }

  @Override
  public INDArray backward(
      Saved saved, INDArray gradient, Map<String, INDArray> paramGradients, Results results) {
    INDArray result = results.create(saved.input().shape());
    vectors.backward(gradient, result.reshape(-1, n, n));
    return result;
  }
}
