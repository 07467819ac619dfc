/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.runtime;

import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.internal.backend.ForwardPass;
import java.util.List;
import java.util.Map;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * Executes a layer that no operator computes: forward by its definition in SameDiff, backward by
 * its closed form.
 */
public abstract class DefinedRuntimeLayer extends SpdRuntimeLayer {

  private static final long serialVersionUID = 1L;

  private final transient DefinitionGraphs graphs;

  /**
   * A runtime layer without parameters yet.
   *
   * @param conf the configuration
   * @param dataType the network's data type
   * @param backend what the layer is computed with
   * @param definition the definition
   * @param kept the names of the variables of the definition whose values the backward pass needs
   */
  protected DefinedRuntimeLayer(
      NeuralNetConfiguration conf,
      DataType dataType,
      Backend backend,
      DefinitionGraphs.Definition definition,
      List<String> kept) {
    super(conf, dataType, backend);
    this.graphs = new DefinitionGraphs(definition, kept);
  }

  /**
   * The backward pass in closed form.
   *
   * @param saved the input, the parameters, and the values that were kept, none of it to be changed
   * @param gradient the gradient with respect to the output, not to be changed
   * @param paramGradients where to write the gradients with respect to the parameters, by name
   * @return the gradient with respect to the input, in the shape of the input
   */
  protected abstract INDArray backward(
      ForwardPass saved, INDArray gradient, Map<String, INDArray> paramGradients);

  @Override
  protected final INDArray forward(INDArray input, ForwardPass saved, Results results) {
    return graphs.forward(input, saved, results);
  }

  @Override
  protected final INDArray backward(
      INDArray gradient, Map<String, INDArray> paramGradients, ForwardPass saved, Results results) {
    INDArray result = backward(saved, gradient, paramGradients);
    return results.create(result.shape()).assign(result);
  }

  @Override
  protected final boolean isBackwardInWorkspace() {
    return true;
  }
}
