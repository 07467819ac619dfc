/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.runtime;

import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.internal.backend.ForwardPass;
import java.util.HashMap;
import java.util.Map;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * Executes a layer by its definition in SameDiff alone, which SameDiff differentiates: on the
 * backend {@link Backend#SAMEDIFF}, with which closed formulas can be compared, and where there is
 * no closed formula. It is slow.
 */
public class DifferentiatedRuntimeLayer extends SpdRuntimeLayer {

  private static final long serialVersionUID = 1L;

  private final transient DefinitionGraphs graphs;

  /**
   * A runtime layer without parameters yet.
   *
   * @param conf the configuration
   * @param dataType the network's data type
   * @param backend what the layer is computed with
   * @param graphs the definition
   */
  public DifferentiatedRuntimeLayer(
      NeuralNetConfiguration conf, DataType dataType, Backend backend, DefinitionGraphs graphs) {
    super(conf, dataType, backend);
    this.graphs = graphs;
  }

  /**
   * The graphs of a pass.
   *
   * @param saved says which pass
   * @return the graphs
   */
  protected DefinitionGraphs graphs(ForwardPass saved) {
    return graphs;
  }

  @Override
  protected final INDArray forward(INDArray input, ForwardPass saved, Results results) {
    layer().requireFinite(input, "its input");
    INDArray output = graphs(saved).forward(input, saved, results);
    layer().requireFinite(output, "its output");
    return output;
  }

  @Override
  protected INDArray backward(
      INDArray gradient, Map<String, INDArray> paramGradients, ForwardPass saved, Results results) {
    Map<String, INDArray> learnt = new HashMap<>(paramGradients);
    learnt.keySet().removeIf(name -> !layer().isLearnt(name));
    INDArray result = graphs(saved).backward(gradient, learnt, saved, results);
    learnt.forEach((name, array) -> layer().requireFinite(array, "the gradient of " + name));
    return result;
  }
}
