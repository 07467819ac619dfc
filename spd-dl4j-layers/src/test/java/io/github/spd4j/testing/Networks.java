/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.testing;

import io.github.spd4j.layers.KernelAggregationLayer;
import io.github.spd4j.layers.SpdTransformLayer;
import io.github.spd4j.layers.SpdVectorizationLayer;
import java.util.List;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration.GraphBuilder;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.WorkspaceMode;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.IUpdater;
import org.nd4j.linalg.learning.config.NoOp;
import org.nd4j.linalg.lossfunctions.LossFunctions.LossFunction;

/** Small networks and data for them. */
public final class Networks {

  /** The number of classes of the small networks. */
  public static final int CLASSES = 3;

  private Networks() {}

  /** The three layers with their defaults: C' = 3. */
  public static List<Layer> head() {
    return List.of(
        new KernelAggregationLayer.Builder().build(),
        new SpdTransformLayer.Builder().nOut(3).build(),
        new SpdVectorizationLayer.Builder().build());
  }

  /** A general configuration with a seed, ready for a network. */
  public static NeuralNetConfiguration.Builder general(DataType type, IUpdater updater) {
    return new NeuralNetConfiguration.Builder()
        .seed(12345)
        .dataType(type)
        .updater(updater)
        .activation(Activation.TANH)
        .trainingWorkspaceMode(WorkspaceMode.ENABLED)
        .inferenceWorkspaceMode(WorkspaceMode.ENABLED);
  }

  /** 3×3 convolution to 5 channels, the given layers, softmax; each layer named by its position. */
  public static ComputationGraph convolutional(
      NeuralNetConfiguration.Builder general, List<? extends Layer> head, InputType input) {
    return convolutional(general, 3, head, input);
  }

  private static ComputationGraph convolutional(
      NeuralNetConfiguration.Builder general,
      int size,
      List<? extends Layer> head,
      InputType input) {
    GraphBuilder graph =
        general
            .graphBuilder()
            .addInputs("in")
            .setInputTypes(input)
            .addLayer("conv", new ConvolutionLayer.Builder(size, size).nOut(5).build(), "in");
    return finish(graph, "conv", head);
  }

  /** The given layers, softmax: nothing before them. */
  public static ComputationGraph plain(
      NeuralNetConfiguration.Builder general, List<? extends Layer> head, InputType input) {
    return finish(general.graphBuilder().addInputs("in").setInputTypes(input), "in", head);
  }

  /** As {@link #convolutional}, as a network of layers: the convolution is layer 0. */
  public static MultiLayerNetwork layers(
      NeuralNetConfiguration.Builder general, List<? extends Layer> head, InputType input) {
    NeuralNetConfiguration.ListBuilder list =
        general.list().layer(new ConvolutionLayer.Builder(3, 3).nOut(5).build());
    head.forEach(list::layer);
    MultiLayerNetwork net = new MultiLayerNetwork(list.layer(output()).setInputType(input).build());
    net.init();
    return net;
  }

  private static OutputLayer output() {
    return new OutputLayer.Builder(LossFunction.MCXENT)
        .activation(Activation.SOFTMAX)
        .nOut(CLASSES)
        .build();
  }

  /**
   * A network for gradient checks, with few parameters: DOUBLE, NoOp, the layers behind a 2×2
   * convolution.
   */
  public static ComputationGraph forGradientCheck(List<? extends Layer> head, InputType input) {
    return convolutional(general(DataType.DOUBLE, new NoOp()), 2, head, input);
  }

  private static ComputationGraph finish(
      GraphBuilder graph, String last, List<? extends Layer> head) {
    String previous = last;
    for (int i = 0; i < head.size(); i++) {
      String name = "layer" + i;
      graph.addLayer(name, head.get(i), previous);
      previous = name;
    }
    graph.addLayer("out", output(), previous).setOutputs("out");
    ComputationGraph net = new ComputationGraph(graph.build());
    net.init();
    Mixtures.storeIn(net);
    return net;
  }

  /** Normally distributed images with random labels. */
  public static DataSet images(DataType type, long seed, long... shape) {
    Nd4j.getRandom().setSeed(seed == 0 ? 1000 : seed); // ND4J takes the time of day for 0
    INDArray features = Nd4j.randn(type, shape);
    int examples = (int) shape[0];
    INDArray labels = Nd4j.zeros(type, examples, CLASSES);
    for (int i = 0; i < examples; i++) {
      labels.putScalar(i, (i + (int) seed) % CLASSES, 1);
    }
    return new DataSet(features, labels);
  }
}
