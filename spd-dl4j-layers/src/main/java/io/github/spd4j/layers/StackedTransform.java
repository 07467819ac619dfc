/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import io.github.spd4j.backend.Algebra;
import io.github.spd4j.backend.MatrixStack;
import io.github.spd4j.backend.Scratch;
import io.github.spd4j.layers.runtime.Fused;
import io.github.spd4j.layers.runtime.Saved;
import io.github.spd4j.linalg.NotFiniteException;
import java.util.Map;
import org.nd4j.linalg.api.ndarray.INDArray;

/** The passes of an {@link SpdTransformLayer} by a {@link Algebra}: six products. */
final class StackedTransform implements Fused {

  private final SpdTransformLayer layer;
  private final Algebra library;
  private final Scratch scratch = new Scratch();

  /** WᵀK [N, C', C] of the last forward pass. */
  private INDArray projected;

  StackedTransform(SpdTransformLayer layer, Algebra library) {
    this.layer = layer;
    this.library = library;
  }

  @Override
  public boolean handles(INDArray input) {
    return true;
  }

  @Override
  public boolean checksParamsWithGradients() {
    return true;
  }

  @Override
  public INDArray forward(
      INDArray input, Map<String, INDArray> params, Results results, boolean training) {
    INDArray w = MatrixStack.inOrder(params.get(SpdTransformLayer.W));
    int images = (int) input.size(0);
    long c = w.size(0);
    long p = w.size(1);
    INDArray kernel = MatrixStack.inOrder(input).reshape(images, c, c);
    projected = scratch.array(w.dataType(), "projected", images, p, c);
    INDArray output = results.create(images, 1, p, p);
    MatrixStack once = MatrixStack.of(w);
    library.multiply(
        1, once.transpose(), MatrixStack.of(kernel), 0, MatrixStack.of(projected), images);
    library.multiply(1, rows(projected), once, 0, rows(output), 1);
    return output;
  }

  @Override
  public INDArray backward(
      Saved saved, INDArray gradient, Map<String, INDArray> paramGradients, Results results) {
    INDArray w = MatrixStack.inOrder(saved.param(SpdTransformLayer.W));
    int images = (int) gradient.size(0);
    long c = w.size(0);
    long p = w.size(1);
    INDArray symmetric = scratch.array(w.dataType(), "symmetric", images, p, p);
    library.addTransposed(MatrixStack.inOrder(gradient).reshape(images, p, p), 0.5, symmetric);
    INDArray byW = scratch.array(w.dataType(), "byW", c, p);
    library.multiply(2, rows(projected).transpose(), rows(symmetric), 0, MatrixStack.of(byW), 1);
    requireFinite(w, byW);
    paramGradients.get(SpdTransformLayer.W).assign(byW);

    INDArray half = scratch.array(w.dataType(), "half", images, p, c);
    INDArray result = results.create(images, 1, c, c);
    MatrixStack once = MatrixStack.of(w);
    library.multiply(1, rows(symmetric), once.transpose(), 0, rows(half), 1);
    library.multiply(
        1, once, MatrixStack.of(half), 0, MatrixStack.of(result.reshape(images, c, c)), images);
    return result;
  }

  /** What is not finite in W is not finite in the gradient of W. */
  private void requireFinite(INDArray w, INDArray byW) {
    try {
      layer.requireFiniteGradient(byW);
    } catch (NotFiniteException e) {
      layer.validateParams(Map.of(SpdTransformLayer.W, w));
      throw e;
    }
  }

  /** All matrices of a stack below each other, as one. */
  private static MatrixStack rows(INDArray stack) {
    return MatrixStack.of(stack.reshape(-1, stack.size(stack.rank() - 1)));
  }
}
