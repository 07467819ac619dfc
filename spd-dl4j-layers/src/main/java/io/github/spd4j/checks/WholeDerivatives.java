/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.checks;

import io.github.spd4j.kernel.Bandwidth;
import io.github.spd4j.kernel.Kernel;
import io.github.spd4j.kernel.LaplacianKernel;
import io.github.spd4j.kernel.RadialKernel;
import io.github.spd4j.kernel.RbfKernel;
import io.github.spd4j.layers.KernelAggregationLayer;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.deeplearning4j.nn.conf.layers.Layer;

/** Differentiates every bandwidth that is a constant in the backward pass. */
final class WholeDerivatives implements UnaryOperator<Layer> {

  private final UnaryOperator<Layer> first;
  private final TreeSet<String> changed = new TreeSet<>();

  WholeDerivatives(UnaryOperator<Layer> first) {
    this.first = first;
  }

  @Override
  public Layer apply(Layer given) {
    Layer layer = first.apply(given);
    if (layer instanceof KernelAggregationLayer) {
      KernelAggregationLayer aggregation = (KernelAggregationLayer) layer;
      Kernel whole = whole(aggregation.getKernel());
      if (!whole.equals(aggregation.getKernel())) {
        changed.add(String.valueOf(layer.getLayerName()));
        return aggregation.withKernel(whole);
      }
    }
    return layer;
  }

  private static Kernel whole(Kernel kernel) {
    if (!(kernel instanceof RadialKernel) || ((RadialKernel) kernel).bandwidth().isFixed()) {
      return kernel;
    }
    Bandwidth bandwidth = ((RadialKernel) kernel).bandwidth().differentiated();
    return kernel instanceof LaplacianKernel
        ? new LaplacianKernel(bandwidth)
        : new RbfKernel(bandwidth);
  }

  /** The names of the layers that were changed. */
  Set<String> changed() {
    return changed;
  }
}
