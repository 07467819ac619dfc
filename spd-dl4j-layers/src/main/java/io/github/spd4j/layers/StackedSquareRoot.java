/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import io.github.spd4j.backend.Algebra;
import io.github.spd4j.backend.MatrixStack;
import io.github.spd4j.layers.runtime.Fused;
import io.github.spd4j.layers.runtime.Saved;
import io.github.spd4j.operators.root.RootBatch;
import java.util.Map;
import org.nd4j.linalg.api.ndarray.INDArray;

/** The passes of a {@link MatrixSquareRootLayer} by a {@link Algebra}. */
final class StackedSquareRoot implements Fused {

  private final RootBatch root;

  StackedSquareRoot(int iterations, Algebra library) {
    this.root = new RootBatch(iterations, library);
  }

  @Override
  public boolean handles(INDArray input) {
    return true;
  }

  @Override
  public INDArray forward(
      INDArray input, Map<String, INDArray> params, Results results, boolean training) {
    INDArray output = results.create(input.shape());
    root.forward(matrices(input), matrices(output));
    return output;
  }

  @Override
  public INDArray backward(
      Saved saved, INDArray gradient, Map<String, INDArray> paramGradients, Results results) {
    INDArray result = results.create(saved.input().shape());
    root.backward(matrices(gradient), matrices(result));
    return result;
  }

  private static INDArray matrices(INDArray array) {
    INDArray inOrder = MatrixStack.inOrder(array);
    return inOrder.reshape(-1, array.size(2), array.size(3));
  }
}
