/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import io.github.spd4j.backend.MatrixStack;
import io.github.spd4j.backend.Scratch;
import io.github.spd4j.backend.host.HostFloats;
import io.github.spd4j.layers.runtime.Fused;
import io.github.spd4j.layers.runtime.Saved;
import io.github.spd4j.operators.congruence.CongruenceHost;
import java.util.Map;
import org.nd4j.linalg.api.ndarray.INDArray;

/** The fused passes of an {@link SpdTransformLayer} without rectifier. */
final class FusedTransform implements Fused {

  private final SpdTransformLayer layer;
  private final Scratch scratch = new Scratch();

  FusedTransform(SpdTransformLayer layer) {
    this.layer = layer;
  }

  @Override
  public boolean handles(INDArray input) {
    return HostFloats.isPossible(input);
  }

  @Override
  public INDArray forward(
      INDArray input, Map<String, INDArray> params, Results results, boolean training) {
    INDArray w = params.get(SpdTransformLayer.W);
    long images = input.size(0);
    INDArray output = results.create(images, 1, w.size(1), w.size(1));
    new CongruenceHost(images, w, scratch).forward(MatrixStack.inOrder(input), output);
    return output;
  }

  @Override
  public INDArray backward(
      Saved saved, INDArray gradient, Map<String, INDArray> paramGradients, Results results) {
    INDArray w = saved.param(SpdTransformLayer.W);
    INDArray byW = paramGradients.get(SpdTransformLayer.W);
    long images = saved.input().size(0);
    long c = w.size(0);
    INDArray result = results.create(images, 1, c, c);
    new CongruenceHost(images, w, scratch).backward(MatrixStack.inOrder(gradient), byW, result);
    layer.requireFiniteGradient(byW);
    return result;
  }
}
