/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.kernel;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.ndarray.INDArray;

/** Runs a kernel by itself, forward and backward. */
final class KernelRun {

  private final Kernel kernel;
  private final INDArray maps;
  private final Map<String, INDArray> values;
  private final String output;

  KernelRun(Kernel kernel, INDArray maps) {
    this.kernel = kernel;
    this.maps = maps;
    SameDiff sd = SameDiff.create();
    SDVariable input = sd.placeHolder("maps", maps.dataType(), maps.shape());
    output = kernel.define(sd, input, maps.size(1), maps.size(2)).name();
    List<String> wanted = new ArrayList<>(kernel.saved());
    wanted.add(output);
    values = sd.output(Map.of("maps", maps), wanted);
  }

  INDArray matrix() {
    return values.get(output);
  }

  INDArray sigma() {
    return values.get(RadialKernel.SIGMA);
  }

  Map<String, INDArray> values() {
    return values;
  }

  INDArray backward(INDArray gradient) {
    return kernel.backward(maps, values, gradient);
  }

  /** ⟨G, K⟩, a scalar function of the maps. */
  static double loss(Kernel kernel, INDArray maps, INDArray gradient) {
    return new KernelRun(kernel, maps).matrix().mul(gradient).sumNumber().doubleValue();
  }
}
