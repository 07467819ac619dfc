/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.testing;

import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration.GraphBuilder;
import org.deeplearning4j.nn.conf.ConvolutionMode;
import org.deeplearning4j.nn.conf.graph.MergeVertex;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.LocalResponseNormalization;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.conf.layers.SubsamplingLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.learning.config.IUpdater;
import org.nd4j.linalg.learning.config.Sgd;
import org.nd4j.linalg.lossfunctions.LossFunctions.LossFunction;

/**
 * A small random network with all kinds of vertices that have no parameters: {@code conv1 → norm →
 * pool → (left, right) → merge → last → fc → out}, for images [N, 2, 8, 8].
 */
public final class SmallBackbone {

  public static final long[] IMAGES = {4, 2, 8, 8};
  public static final int LAST_CHANNELS = 8;
  public static final int FC_WIDTH = 6;

  private final DataType type;
  private CNN2DFormat format = CNN2DFormat.NCHW;
  private IUpdater updater = new Sgd(0.01);
  private boolean top = true;
  private boolean auxiliary;

  private SmallBackbone(DataType type) {
    this.type = type;
  }

  public static SmallBackbone of(DataType type) {
    return new SmallBackbone(type);
  }

  public static ComputationGraph create() {
    return of(DataType.FLOAT).build();
  }

  public SmallBackbone format(CNN2DFormat format) {
    this.format = format;
    return this;
  }

  public SmallBackbone updater(IUpdater updater) {
    this.updater = updater;
    return this;
  }

  /** Without fully connected layers and classifier. */
  public SmallBackbone withoutTop() {
    this.top = false;
    return this;
  }

  /** With a second classifier on the merged maps. */
  public SmallBackbone withAuxiliaryClassifier() {
    this.auxiliary = true;
    return this;
  }

  public ComputationGraph build() {
    GraphBuilder graph =
        Networks.general(type, updater)
            .activation(Activation.RELU)
            .convolutionMode(ConvolutionMode.Same)
            .graphBuilder()
            .addInputs("in");
    InputType image = InputType.convolutional(IMAGES[2], IMAGES[3], IMAGES[1], format);
    graph.setInputTypes(image);
    addMaps(graph);
    if (top) {
      graph.addLayer("fc", new DenseLayer.Builder().nOut(FC_WIDTH).build(), "last");
      graph.addLayer("out", output(), "fc");
    }
    graph.setOutputs(top ? "out" : "last");
    if (auxiliary) {
      graph.addLayer("aux", output(), "merge").setOutputs("aux", "out");
    }
    ComputationGraph net = new ComputationGraph(graph.build());
    net.init();
    return net;
  }

  private void addMaps(GraphBuilder graph) {
    graph
        .addLayer("conv1", convolution(3, 6), "in")
        .addLayer("norm", new LocalResponseNormalization.Builder().build(), "conv1")
        .addLayer("pool", new SubsamplingLayer.Builder(2, 2).stride(2, 2).build(), "norm")
        .addLayer("left", convolution(1, 3), "pool")
        .addLayer("right", convolution(3, 4), "pool")
        .addVertex("merge", new MergeVertex(), "left", "right")
        .addLayer("last", convolution(3, LAST_CHANNELS), "merge");
  }

  private ConvolutionLayer convolution(int size, int filters) {
    return new ConvolutionLayer.Builder(size, size).nOut(filters).dataFormat(format).build();
  }

  private static OutputLayer output() {
    return new OutputLayer.Builder(LossFunction.MCXENT)
        .activation(Activation.SOFTMAX)
        .nOut(5)
        .build();
  }
}
