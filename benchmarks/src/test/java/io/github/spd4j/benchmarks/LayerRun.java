/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.benchmarks;

import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** One layer with its input and a gradient of its output, outside of any network. */
final class LayerRun {

  private static final LayerWorkspaceMgr NO_WORKSPACES = LayerWorkspaceMgr.noWorkspaces();

  private final Layer layer;
  private final INDArray input;
  private final INDArray gradient;

  LayerRun(org.deeplearning4j.nn.conf.layers.Layer configuration, INDArray input) {
    NeuralNetConfiguration conf =
        new NeuralNetConfiguration.Builder().dataType(DataType.FLOAT).layer(configuration).build();
    long size = configuration.initializer().numParams(conf);
    INDArray params = size == 0 ? null : Nd4j.create(DataType.FLOAT, 1, size);
    this.layer = configuration.instantiate(conf, null, 0, params, true, DataType.FLOAT);
    if (size > 0) {
      layer.setBackpropGradientsViewArray(Nd4j.create(DataType.FLOAT, 1, size));
    }
    this.input = input;
    this.gradient = forward(true).dup();
  }

  INDArray forward(boolean training) {
    return layer.activate(input, training, NO_WORKSPACES);
  }

  INDArray forwardAndBackward() {
    forward(true);
    return layer.backpropGradient(gradient, NO_WORKSPACES).getSecond();
  }
}
