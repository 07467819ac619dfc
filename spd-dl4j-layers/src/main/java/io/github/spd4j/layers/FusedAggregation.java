/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import io.github.spd4j.backend.MatrixStack;
import io.github.spd4j.backend.Scratch;
import io.github.spd4j.backend.host.HostFloats;
import io.github.spd4j.kernel.Kernel;
import io.github.spd4j.layers.runtime.Fused;
import io.github.spd4j.layers.runtime.Saved;
import io.github.spd4j.operators.radial.RadialHost;
import java.util.Map;
import org.nd4j.linalg.api.ndarray.INDArray;

/** The fused passes of a {@link KernelAggregationLayer}. */
final class FusedAggregation implements Fused {

  private final FeatureMapLayer layer;
  private final RadialHost kernel;
  private final Scratch scratch = new Scratch();

  FusedAggregation(FeatureMapLayer layer, Kernel kernel) {
    this.layer = layer;
    this.kernel = RadialHost.of(kernel);
  }

  @Override
  public boolean handles(INDArray input) {
    return HostFloats.isPossible(input);
  }

  @Override
  public INDArray forward(
      INDArray input, Map<String, INDArray> params, Results results, boolean training) {
    INDArray maps = MatrixStack.inOrder(layer.rows(input));
    long images = maps.size(0);
    long c = maps.size(1);
    INDArray output = results.create(images, 1, c, c);
    kernel.forward(maps, params, output.reshape('c', images, c, c), scratch, training);
    return output;
  }

  @Override
  public INDArray backward(
      Saved saved, INDArray gradient, Map<String, INDArray> paramGradients, Results results) {
    INDArray maps = layer.rows(saved.input());
    INDArray result = results.create(maps.shape());
    kernel.backward(MatrixStack.inOrder(gradient), result, paramGradients, scratch);
    return layer.fromRows(result, saved.input());
  }
}
