/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.backbones;

import java.io.IOException;
import java.util.List;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration.GraphBuilder;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.graph.ElementWiseVertex;
import org.deeplearning4j.nn.conf.layers.ActivationLayer;
import org.deeplearning4j.nn.conf.layers.BatchNormalization;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.GlobalPoolingLayer;
import org.deeplearning4j.nn.conf.layers.PoolingType;
import org.deeplearning4j.nn.conf.layers.SubsamplingLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.weights.WeightInit;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * A ResNet50 with batch normalisation after every convolution, layer by layer, with the names of
 * Keras' applications: {@code conv1_conv}, then {@code conv2_block1_1_conv} and so on.
 */
final class Resnet50Graph {

  static final int[] FILTERS = {64, 128, 256, 512};

  static final int[] BLOCKS = {3, 4, 6, 3};
  private static final int EXPANSION = 4;
  private static final int COLOURS = 3;

  private final Original original;
  private final GraphBuilder graph =
      new NeuralNetConfiguration.Builder()
          .weightInit(WeightInit.ZERO) // to be replaced
          .activation(Activation.IDENTITY)
          .graphBuilder()
          .addInputs("input_1");

  private Resnet50Graph(Original original) {
    this.original = original;
  }

  /** Whose network it is. */
  interface Original {

    /** Which convolution of a stage's first block has its stride, 1 or 2, as has that beside. */
    int strided();

    /** What a normalisation adds to the variance. */
    double epsilon();

    /** Whether convolutions have a bias. */
    boolean hasBias();

    /** The kernel of a convolution, in the order of DL4J. */
    INDArray kernel(String layer, long... shape) throws IOException;

    /** The bias of a convolution. */
    INDArray bias(String layer, long length) throws IOException;

    /** A parameter of a normalisation: gamma, beta, mean or var. */
    INDArray vector(String layer, String parameter, long length) throws IOException;
  }

  /**
   * The network with its weights.
   *
   * @param original whose network it is, with its weights
   * @param filters the filters of each stage, a quarter of the maps that it puts out; those of the
   *     first stage are also those of the first convolution
   * @throws IOException if a weight cannot be read
   */
  static ComputationGraph read(Original original, int... filters) throws IOException {
    return new Resnet50Graph(original).build(filters);
  }

  private ComputationGraph build(int... filters) throws IOException {
    String last = convolution("input_1", "conv1", COLOURS, filters[0], 7, 2);
    last = rectified(last, "conv1_relu");
    SubsamplingLayer pooling =
        new SubsamplingLayer.Builder(SubsamplingLayer.PoolingType.MAX)
            .kernelSize(3, 3)
            .stride(2, 2)
            .padding(1, 1)
            .build();
    graph.addLayer("pool1_pool", pooling, last);
    last = "pool1_pool";
    int maps = filters[0];
    for (int stage = 0; stage < BLOCKS.length; stage++) {
      for (int block = 1; block <= BLOCKS[stage]; block++) {
        String name = "conv" + (stage + 2) + "_block" + block;
        int stride = stage > 0 && block == 1 ? 2 : 1;
        last = block(last, name, maps, filters[stage], stride, block == 1);
        maps = EXPANSION * filters[stage];
      }
    }
    graph.addLayer("avg_pool", new GlobalPoolingLayer.Builder(PoolingType.AVG).build(), last);
    ComputationGraph network = new ComputationGraph(graph.setOutputs("avg_pool").build());
    network.init();
    for (String layer : network.getConfiguration().getVertices().keySet()) {
      if (layer.endsWith("_conv")) {
        setConvolution(network, layer);
      } else if (layer.endsWith("_bn")) {
        setNormalization(network, layer);
      }
    }
    return network;
  }

  private String block(
      String input, String name, int maps, int filters, int stride, boolean first) {
    int out = EXPANSION * filters;
    String shortcut = first ? convolution(input, name + "_0", maps, out, 1, stride) : input;
    String x =
        convolution(input, name + "_1", maps, filters, 1, original.strided() == 1 ? stride : 1);
    x = rectified(x, name + "_1_relu");
    x = convolution(x, name + "_2", filters, filters, 3, original.strided() == 2 ? stride : 1);
    x = rectified(x, name + "_2_relu");
    x = convolution(x, name + "_3", filters, out, 1, 1);
    graph.addVertex(name + "_add", new ElementWiseVertex(ElementWiseVertex.Op.Add), shortcut, x);
    return rectified(name + "_add", name + "_out");
  }

  /** A convolution and its normalisation; returns the name of the latter. */
  private String convolution(String input, String name, int in, int out, int size, int stride) {
    ConvolutionLayer layer =
        new ConvolutionLayer.Builder(size, size)
            .stride(stride, stride)
            .padding(size / 2, size / 2)
            .nIn(in)
            .nOut(out)
            .hasBias(original.hasBias())
            .build();
    graph.addLayer(name + "_conv", layer, input);
    graph.addLayer(
        name + "_bn",
        new BatchNormalization.Builder()
            .eps(original.epsilon())
            .useLogStd(false)
            .nIn(out)
            .nOut(out)
            .build(),
        name + "_conv");
    return name + "_bn";
  }

  private String rectified(String input, String name) {
    graph.addLayer(name, new ActivationLayer(Activation.RELU), input);
    return name;
  }

  private void setConvolution(ComputationGraph network, String layer) throws IOException {
    INDArray w = network.getParam(layer + "_W");
    w.assign(original.kernel(layer, w.shape()));
    if (original.hasBias()) {
      INDArray b = network.getParam(layer + "_b");
      b.assign(original.bias(layer, b.length()).reshape(b.shape()));
    }
  }

  private void setNormalization(ComputationGraph network, String layer) throws IOException {
    for (String name : List.of("gamma", "beta", "mean", "var")) {
      INDArray parameter = network.getParam(layer + "_" + name);
      INDArray stored = original.vector(layer, name, parameter.length());
      parameter.assign(stored.reshape(parameter.shape()));
    }
  }
}
