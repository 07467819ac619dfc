/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import io.github.spd4j.backend.Algebra;
import io.github.spd4j.kernel.Kernel;
import io.github.spd4j.layers.runtime.Fused;
import io.github.spd4j.layers.runtime.Saved;
import io.github.spd4j.operators.radial.RadialBatch;
import java.util.Map;
import org.nd4j.linalg.api.ndarray.INDArray;

/** The passes of a {@link KernelAggregationLayer} by a {@link Algebra}. */
final class StackedAggregation implements Fused {

  private final FeatureMapLayer layer;
  private final RadialBatch kernel;

  StackedAggregation(FeatureMapLayer layer, Kernel kernel, Algebra library) {
    this.layer = layer;
    this.kernel = new RadialBatch(kernel, library);
  }

  @Override
  public boolean handles(INDArray input) {
    return true;
  }

  @Override
  public INDArray forward(
      INDArray input, Map<String, INDArray> params, Results results, boolean training) {
    INDArray matrices = kernel.forward(layer.rows(input), params);
    INDArray output = results.create(matrices.size(0), 1, matrices.size(1), matrices.size(2));
    return output.assign(matrices.reshape(output.shape()));
  }

  @Override
  public INDArray backward(
      Saved saved, INDArray gradient, Map<String, INDArray> paramGradients, Results results) {
    long channels = gradient.size(3);
    INDArray byMaps = results.create(layer.rows(saved.input()).shape());
    kernel.backward(gradient.reshape(-1, channels, channels), byMaps, paramGradients);
    return layer.fromRows(byMaps, saved.input());
  }
}
