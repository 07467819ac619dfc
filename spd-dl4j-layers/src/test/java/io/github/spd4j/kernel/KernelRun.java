/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.kernel;

import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.internal.backend.ForwardPass;
import io.github.spd4j.internal.backend.MatrixStack;
import io.github.spd4j.internal.operators.radial.Radial;
import io.github.spd4j.internal.operators.radial.RadialGraph;
import io.github.spd4j.internal.operators.radial.RadialKernels;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** Runs a kernel by itself, forward and backward. */
final class KernelRun {

  private final Kernel kernel;
  private final INDArray maps;
  private final Map<String, INDArray> values;
  private final String output;

  private final Map<String, INDArray> parameters = new HashMap<>();
  private final Map<String, INDArray> byParameters = new HashMap<>();

  /** A run with all parameters at their start. */
  KernelRun(Kernel kernel, INDArray maps) {
    this(kernel, maps, null);
  }

  /** A run with parameters, or null for their start. */
  KernelRun(Kernel kernel, INDArray maps, Map<String, Double> parameters) {
    this.kernel = kernel;
    this.maps = maps;
    SameDiff sd = SameDiff.create();
    SDVariable input = sd.placeHolder("maps", maps.dataType(), maps.shape());
    Map<String, INDArray> placeholders = new HashMap<>(Map.of("maps", maps));
    output = define(sd, input, parameters, placeholders).name();
    List<String> wanted = new ArrayList<>(List.of(output));
    if (kernel instanceof RadialKernel) {
      wanted.add(RadialGraph.SIGMA);
    } else {
      wanted.addAll(((ClosedKernel) kernel).saved());
    }
    values = sd.output(placeholders, wanted);
  }

  private SDVariable define(
      SameDiff sd,
      SDVariable input,
      Map<String, Double> parameters,
      Map<String, INDArray> placeholders) {
    DataType type = maps.dataType();
    if (parameters == null) {
      return kernel.define(sd, input, maps.size(1), maps.size(2));
    }
    Map<String, SDVariable> variables = new HashMap<>();
    for (String name : kernel.parameters()) {
      variables.put(name, sd.placeHolder(name, type, 1, 1));
      INDArray value = Nd4j.valueArrayOf(new long[] {1, 1}, parameters.get(name), type);
      this.parameters.put(name, value);
      placeholders.put(name, value);
      byParameters.put(name, Nd4j.valueArrayOf(new long[] {1, 1}, Double.NaN, type));
    }
    return kernel.define(sd, input, maps.size(1), maps.size(2), variables);
  }

  INDArray matrix() {
    return values.get(output);
  }

  INDArray sigma() {
    return values.get(RadialGraph.SIGMA);
  }

  Map<String, INDArray> values() {
    return values;
  }

  INDArray backward(INDArray gradient) {
    return kernel instanceof RadialKernel
        ? backward((RadialKernel) kernel, gradient)
        : ((ClosedKernel) kernel).backward(maps, values, gradient, byParameters);
  }

  /** By its operator, as in the layer. */
  private INDArray backward(RadialKernel radial, INDArray gradient) {
    DataType type = maps.dataType();
    Radial operator = RadialKernels.operator(radial, Backend.current(), type);
    ForwardPass saved = new ForwardPass();
    saved.begin(maps, Map.of(), true);
    INDArray matrix = Nd4j.createUninitialized(type, gradient.shape(), 'c');
    double scale = parameters.isEmpty() ? 1 : radial.scale(parameters); // 1 at the start
    operator.forward(MatrixStack.inOrder(maps), scale, matrix, saved);
    INDArray byMaps = Nd4j.createUninitialized(type, maps.shape(), 'c');
    INDArray byTheta = byParameters.get(RadialKernel.LOG_BANDWIDTH);
    operator.backward(MatrixStack.inOrder(gradient), byMaps, byTheta, saved);
    return byMaps;
  }

  /** The gradient by a parameter, after {@link #backward}. */
  INDArray byParameter(String name) {
    return byParameters.get(name);
  }

  /** ⟨G, K⟩ of each of several images, with the same G [1, C, C]. */
  static double[] losses(
      Kernel kernel, INDArray maps, Map<String, Double> parameters, INDArray gradient) {
    INDArray products = new KernelRun(kernel, maps, parameters).matrix().mul(gradient);
    return products.sum(1, 2).toDoubleVector();
  }

  /** ⟨G, K⟩, a scalar function of the maps and the parameters. */
  static double loss(
      Kernel kernel, INDArray maps, Map<String, Double> parameters, INDArray gradient) {
    return new KernelRun(kernel, maps, parameters).matrix().mul(gradient).sumNumber().doubleValue();
  }
}
