/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import io.github.spd4j.layers.runtime.Fused;
import io.github.spd4j.layers.runtime.Saved;
import io.github.spd4j.linalg.MatrixLibrary;
import io.github.spd4j.linalg.MatrixStack;
import io.github.spd4j.linalg.UpperTriangle;
import io.github.spd4j.linalg.VectorNormalization;
import java.util.HashMap;
import java.util.Map;
import org.nd4j.linalg.api.ndarray.INDArray;

/** The passes of an {@link SpdVectorizationLayer} with triangles copied by a library. */
final class StackedVectorization implements Fused {

  private final VectorNormalization normalization;
  private final MatrixLibrary library;
  private final Map<String, INDArray> values = new HashMap<>();

  StackedVectorization(VectorNormalization normalization, MatrixLibrary library) {
    this.normalization = normalization;
    this.library = library;
  }

  private static UpperTriangle triangle(INDArray input) {
    return UpperTriangle.of(Math.toIntExact(input.size(2)));
  }

  @Override
  public boolean handles(INDArray input) {
    return true;
  }

  @Override
  public INDArray forward(
      INDArray input, Map<String, INDArray> params, Results results, boolean training) {
    long n = input.size(2);
    INDArray matrices = MatrixStack.isInOrder(input) ? input : input.dup('c');
    INDArray raw = triangle(input).vectors(library, matrices.reshape(-1, n, n));
    values.clear();
    INDArray vectors = normalization.apply(raw, values);
    return results.create(vectors.shape()).assign(vectors);
  }

  @Override
  public INDArray backward(
      Saved saved, INDArray gradient, Map<String, INDArray> paramGradients, Results results) {
    INDArray byVectors = normalization.backward(values, gradient);
    return triangle(saved.input()).adjoint(library, byVectors).reshape(saved.input().shape());
  }
}
