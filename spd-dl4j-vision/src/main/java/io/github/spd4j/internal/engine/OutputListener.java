/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.engine;

import java.util.function.Consumer;
import org.deeplearning4j.nn.api.Model;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.deeplearning4j.optimize.api.BaseTrainingListener;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * Takes the network's output for a training batch from the step itself: before DL4J clears the
 * layers, the output layer still has its input, so only that layer runs again.
 */
public final class OutputListener extends BaseTrainingListener {

  private final Consumer<INDArray> output;

  /**
   * A listener for a graph with one output.
   *
   * @param output is given the output of each batch, before the step
   */
  public OutputListener(Consumer<INDArray> output) {
    this.output = output;
  }

  @Override
  public void onBackwardPass(Model model) {
    ComputationGraph net = (ComputationGraph) model;
    output.accept(net.getOutputLayer(0).activate(false, LayerWorkspaceMgr.noWorkspaces()));
  }
}
