/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.backbones;

import io.github.spd4j.backbones.Wiring.Kind;
import io.github.spd4j.backbones.Wiring.Node;
import io.github.spd4j.images.PixelFormat;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration.GraphBuilder;
import org.deeplearning4j.nn.conf.ConvolutionMode;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.graph.MergeVertex;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.GlobalPoolingLayer;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.conf.layers.LocalResponseNormalization;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.conf.layers.PoolingType;
import org.deeplearning4j.nn.conf.layers.SubsamplingLayer;
import org.deeplearning4j.nn.conf.layers.ZeroPaddingLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.lossfunctions.LossFunctions.LossFunction;

/**
 * GoogLeNet (Inception v1) with the parameters of the BVLC model, pretrained on ImageNet, as a
 * graph of DL4J in single precision.
 *
 * <p>The input [N, 3, H, W] is as {@link #PIXELS} gives it. The network was trained at 224×224; any
 * other size will do that leaves at least one position. {@code inception-4a/output}, {@code 4b} and
 * {@code 4c} are [N, 512, ⌊(H+1)/16⌋, ⌊(W+1)/16⌋].
 *
 * <p>Vertices have the names of the Caffe layers with {@code -} for {@code _}; the ReLUs are part
 * of the convolutions, and dropout and softmax are part of the classifier. No layer is frozen.
 *
 * <p>Szegedy et al., <i>Going deeper with convolutions</i>, CVPR 2015.
 */
public final class GoogLeNet {

  /** The name of the input. */
  public static final String INPUT = "data";

  /** The name of the last vertex, which gives the probabilities of the 1000 ImageNet classes. */
  public static final String CLASSIFIER = "loss3/classifier";

  /** Where the network is cut for textures. */
  public static final String TEXTURES = "inception-4b/output";

  /** Where the network is cut for fine-grained classes. */
  public static final String FINE_GRAINED = "inception-4c/output";

  /** The numbers that the network takes for colours. */
  public static final PixelFormat PIXELS = PixelFormat.CAFFE;

  /** Height and width of the images that the network was trained on. */
  public static final int SIZE = 224;

  private static final int CHANNELS = 3;

  // Caffe normalises by (k + (α/n) Σ x²)^β, DL4J by (k + α Σ x²)^β: its α is Caffe's over n.
  private static final double LRN_K = 1;
  private static final int LRN_CHANNELS = 5;
  private static final double LRN_ALPHA = 1e-4 / LRN_CHANNELS;
  private static final double LRN_BETA = 0.75;

  private static final double KEPT_BY_DROPOUT = 0.6;

  private GoogLeNet() {}

  /**
   * Loads the whole network, cut after {@link #TEXTURES}.
   *
   * @param folder the folder of the weight files and their {@code manifest.tsv}, or one that has
   *     them in a subfolder {@code oihw}
   * @return the network, whose one output is {@link #CLASSIFIER}
   * @throws IOException if a file is missing or is not as long as its shape asks for
   */
  public static Backbone load(Path folder) throws IOException {
    Objects.requireNonNull(folder, "folder");
    return load(folder, CLASSIFIER).cutAfter(TEXTURES);
  }

  /**
   * Loads the network up to a vertex, which becomes its one output and the place to cut: what the
   * vertex does not need is neither built nor read.
   *
   * @param folder the folder of the weight files and their {@code manifest.tsv}, or one that has
   *     them in a subfolder {@code oihw}
   * @param lastVertex the name of the vertex, such as {@code inception-4b/output}; the Caffe
   *     spelling {@code inception_4b/output} will do
   * @return the network
   * @throws IOException if a file is missing or is not as long as its shape asks for
   * @throws IllegalArgumentException if there is no such vertex; the message lists those that are
   */
  public static Backbone load(Path folder, String lastVertex) throws IOException {
    Objects.requireNonNull(folder, "folder");
    Objects.requireNonNull(lastVertex, "lastVertex");
    List<Node> nodes = Wiring.upTo(lastVertex);
    RawWeights weights = RawWeights.open(folder);
    ComputationGraph graph = build(nodes, weights);
    for (Node node : nodes) {
      if (node.kind() == Kind.CONVOLUTION || node.kind() == Kind.CLASSIFIER) {
        copy(weights, node, graph);
      }
    }
    return new Backbone("GoogLeNet", graph, nodes.get(nodes.size() - 1).name(), PIXELS, SIZE);
  }

  /**
   * The names of all vertices.
   *
   * @return the names, without that of the input, each after those of its inputs
   */
  public static List<String> vertexNames() {
    return Wiring.names();
  }

  private static ComputationGraph build(List<Node> nodes, RawWeights weights) throws IOException {
    GraphBuilder builder =
        new NeuralNetConfiguration.Builder()
            .dataType(DataType.FLOAT)
            .convolutionMode(ConvolutionMode.Truncate)
            .graphBuilder()
            .addInputs(INPUT)
            .setInputTypes(InputType.convolutional(SIZE, SIZE, CHANNELS))
            .setOutputs(nodes.get(nodes.size() - 1).name());
    for (Node node : nodes) {
      if (node.kind() == Kind.CONCATENATION) {
        builder.addVertex(node.name(), new MergeVertex(), node.inputs());
      } else {
        builder.addLayer(node.name(), layer(node, weights), node.inputs());
      }
    }
    ComputationGraph graph = new ComputationGraph(builder.build());
    graph.init();
    return graph;
  }

  private static Layer layer(Node node, RawWeights weights) throws IOException {
    return switch (node.kind()) {
      case CONVOLUTION -> convolution(entry(weights, node));
      case PADDING -> new ZeroPaddingLayer.Builder(0, 1, 0, 1).build();
      case HALVING -> maxPooling(2, 0);
      case POOLING -> maxPooling(1, 1);
      case NORMALISATION ->
          new LocalResponseNormalization.Builder(LRN_K, LRN_CHANNELS, LRN_ALPHA, LRN_BETA).build();
      // Caffe's window is 7×7, which is all there is at 224×224.
      case AVERAGE -> new GlobalPoolingLayer.Builder(PoolingType.AVG).build();
      case CLASSIFIER -> classifier(entry(weights, node));
      case CONCATENATION -> throw new IllegalArgumentException("a vertex, not a layer: " + node);
    };
  }

  private static RawWeights.Entry entry(RawWeights weights, Node node) throws IOException {
    return weights.entry(node.caffeName(), node.kind() == Kind.CONVOLUTION ? 4 : 2);
  }

  private static Layer convolution(RawWeights.Entry entry) {
    return new ConvolutionLayer.Builder(entry.kernel())
        .stride(entry.stride(), entry.stride())
        .padding(entry.padding(), entry.padding())
        .nOut(entry.outputs())
        .activation(Activation.RELU)
        .build();
  }

  private static Layer maxPooling(int stride, int padding) {
    return new SubsamplingLayer.Builder(PoolingType.MAX)
        .kernelSize(3, 3)
        .stride(stride, stride)
        .padding(padding, padding)
        .build();
  }

  private static Layer classifier(RawWeights.Entry entry) {
    return new OutputLayer.Builder(LossFunction.MCXENT)
        .nOut(entry.outputs())
        .activation(Activation.SOFTMAX)
        .dropOut(KEPT_BY_DROPOUT)
        .build();
  }

  /** Copies the parameters of a layer from its files into the graph. */
  private static void copy(RawWeights weights, Node node, ComputationGraph graph)
      throws IOException {
    RawWeights.Entry entry = entry(weights, node);
    INDArray kernel = graph.getLayer(node.name()).getParam("W");
    if (node.kind() == Kind.CLASSIFIER) {
      kernel = kernel.transpose(); // [inputs, outputs] in DL4J, the other way round in the file
    }
    weights.requireShape(entry, kernel.shape());
    kernel.assign(weights.weights(entry));
    graph.getLayer(node.name()).getParam("b").assign(weights.biases(entry));
  }
}
