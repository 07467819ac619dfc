/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import io.github.spd4j.backend.MatrixStack;
import io.github.spd4j.backend.host.HostFloats;
import io.github.spd4j.layers.runtime.Fused;
import io.github.spd4j.layers.runtime.Saved;
import io.github.spd4j.operators.vectors.UpperTriangle;
import io.github.spd4j.operators.vectors.VectorNormalization;
import io.github.spd4j.operators.vectors.VectorsHost;
import java.util.Map;
import org.nd4j.linalg.api.ndarray.INDArray;

/** The fused passes of an {@link SpdVectorizationLayer}. */
final class FusedVectorization implements Fused {

  private final VectorNormalization normalization;
  private VectorsHost vectors;

  FusedVectorization(VectorNormalization normalization) {
    this.normalization = normalization;
  }

  private VectorsHost vectors(INDArray input) {
    if (vectors == null || !vectors.areOf(size(input))) {
      vectors = new VectorsHost(size(input), normalization);
    }
    return vectors;
  }

  private static int size(INDArray input) {
    return Math.toIntExact(input.size(2));
  }

  @Override
  public boolean handles(INDArray input) {
    return HostFloats.isPossible(input);
  }

  @Override
  public INDArray forward(
      INDArray input, Map<String, INDArray> params, Results results, boolean training) {
    INDArray output = results.create(input.size(0), UpperTriangle.length(size(input)));
    vectors(input).forward(MatrixStack.inOrder(input), output);
    return output;
  }

  @Override
  public INDArray backward(
      Saved saved, INDArray gradient, Map<String, INDArray> paramGradients, Results results) {
    INDArray input = saved.input();
    INDArray result = results.create(input.shape());
    vectors(input).backward(MatrixStack.inOrder(input), MatrixStack.inOrder(gradient), result);
    return result;
  }
}
