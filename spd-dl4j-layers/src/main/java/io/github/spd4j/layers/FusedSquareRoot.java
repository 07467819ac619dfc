/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import io.github.spd4j.backend.MatrixStack;
import io.github.spd4j.backend.host.HostFloats;
import io.github.spd4j.layers.runtime.Fused;
import io.github.spd4j.layers.runtime.Saved;
import io.github.spd4j.operators.root.RootHost;
import java.util.Map;
import org.nd4j.linalg.api.ndarray.INDArray;

/** The fused passes of a {@link MatrixSquareRootLayer}. */
final class FusedSquareRoot implements Fused {

  private final RootHost root;

  FusedSquareRoot(int iterations) {
    this.root = new RootHost(iterations);
  }

  @Override
  public boolean handles(INDArray input) {
    return HostFloats.isPossible(input);
  }

  @Override
  public INDArray forward(
      INDArray input, Map<String, INDArray> params, Results results, boolean training) {
    INDArray output = results.create(input.shape());
    root.forward(matrices(input), matrices(output), training);
    return output;
  }

  @Override
  public INDArray backward(
      Saved saved, INDArray gradient, Map<String, INDArray> paramGradients, Results results) {
    INDArray result = results.create(saved.input().shape());
    root.backward(matrices(saved.input()), matrices(gradient), matrices(result));
    return result;
  }

  private static INDArray matrices(INDArray array) {
    return MatrixStack.inOrder(array).reshape(-1, array.size(2), array.size(3));
  }
}
