/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.onnx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.acceleration.Acceleration;
import io.github.spd4j.kernel.RbfKernel;
import io.github.spd4j.layers.KernelAggregationLayer;
import io.github.spd4j.layers.LogMetric;
import io.github.spd4j.layers.RnnToMapsPreProcessor;
import io.github.spd4j.layers.SpdOutputLayer;
import io.github.spd4j.layers.SpdVectorizationLayer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration.GraphBuilder;
import org.deeplearning4j.nn.conf.ConvolutionMode;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.RNNFormat;
import org.deeplearning4j.nn.conf.WorkspaceMode;
import org.deeplearning4j.nn.conf.graph.ElementWiseVertex;
import org.deeplearning4j.nn.conf.graph.GraphVertex;
import org.deeplearning4j.nn.conf.graph.L2NormalizeVertex;
import org.deeplearning4j.nn.conf.graph.MergeVertex;
import org.deeplearning4j.nn.conf.graph.ScaleVertex;
import org.deeplearning4j.nn.conf.graph.ShiftVertex;
import org.deeplearning4j.nn.conf.graph.SubsetVertex;
import org.deeplearning4j.nn.conf.graph.UnstackVertex;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ActivationLayer;
import org.deeplearning4j.nn.conf.layers.BatchNormalization;
import org.deeplearning4j.nn.conf.layers.CenterLossOutputLayer;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.Deconvolution2D;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.DropoutLayer;
import org.deeplearning4j.nn.conf.layers.GlobalPoolingLayer;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.conf.layers.LocalResponseNormalization;
import org.deeplearning4j.nn.conf.layers.LossLayer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.conf.layers.PoolingType;
import org.deeplearning4j.nn.conf.layers.SubsamplingLayer;
import org.deeplearning4j.nn.conf.layers.Upsampling2D;
import org.deeplearning4j.nn.conf.layers.ZeroPaddingLayer;
import org.deeplearning4j.nn.conf.layers.convolutional.Cropping2D;
import org.deeplearning4j.nn.conf.layers.misc.FrozenLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.activations.impl.ActivationGELU;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.lossfunctions.LossFunctions.LossFunction;

/** Layers and vertices of DL4J: the same by ONNX Runtime, or refused. */
class Dl4jLayersTest {

  private static final InputType IMAGES = InputType.convolutional(9, 8, 4);
  private static final InputType VECTORS = InputType.feedForward(6);

  static Stream<Layer> layersOfMaps() {
    return Stream.concat(
        Stream.of(ConvolutionMode.Truncate, ConvolutionMode.Same).flatMap(Dl4jLayersTest::windows),
        Stream.of(
            new ConvolutionLayer.Builder(1, 1).nOut(5).hasBias(false).build(),
            new SubsamplingLayer.Builder(PoolingType.AVG)
                .kernelSize(3, 3)
                .stride(2, 2)
                .padding(1, 1)
                .avgPoolIncludePadInDivisor(true)
                .build(),
            new GlobalPoolingLayer(PoolingType.AVG),
            new GlobalPoolingLayer(PoolingType.MAX),
            new GlobalPoolingLayer(PoolingType.SUM),
            new GlobalPoolingLayer.Builder(PoolingType.PNORM).pnorm(3).build(),
            new GlobalPoolingLayer.Builder(PoolingType.AVG).collapseDimensions(false).build(),
            new ZeroPaddingLayer.Builder(1, 2, 3, 0).build(),
            new Cropping2D.Builder(1, 2, 3, 0).build(),
            new Upsampling2D.Builder().size(new int[] {2, 3}).build(),
            new BatchNormalization.Builder().build(),
            new BatchNormalization.Builder().useLogStd(false).eps(1e-3).build(),
            new BatchNormalization.Builder().lockGammaBeta(true).gamma(2).beta(0.5).build(),
            new LocalResponseNormalization.Builder().build(),
            new LocalResponseNormalization.Builder(1, 3, 0.3, 0.6).build(),
            new LocalResponseNormalization.Builder(2, 4, 0.3, 0.5).build(),
            new DropoutLayer(0.5),
            new ActivationLayer(Activation.TANH),
            new DenseLayer.Builder().nOut(3).activation(Activation.RELU).dropOut(0.5).build(),
            new FrozenLayer(new ConvolutionLayer.Builder(2, 2).nOut(3).build())));
  }

  /** Windows that fit and that do not, with and without gaps. */
  private static Stream<Layer> windows(ConvolutionMode mode) {
    int one = mode == ConvolutionMode.Same ? 0 : 1; // it has a padding of its own
    return Stream.of(
        new ConvolutionLayer.Builder(3, 2)
            .nOut(5)
            .activation(Activation.RELU)
            .convolutionMode(mode)
            .build(),
        new ConvolutionLayer.Builder(3, 3)
            .nOut(5)
            .stride(2, 2)
            .padding(one, 2 * one)
            .convolutionMode(mode)
            .build(),
        new ConvolutionLayer.Builder(3, 3).nOut(5).dilation(2, 2).convolutionMode(mode).build(),
        new SubsamplingLayer.Builder(PoolingType.MAX)
            .kernelSize(3, 3)
            .stride(2, 2)
            .padding(one, one)
            .convolutionMode(mode)
            .build(),
        new SubsamplingLayer.Builder(PoolingType.AVG)
            .kernelSize(3, 2)
            .stride(2, 2)
            .padding(one, one)
            .convolutionMode(mode)
            .build(),
        new SubsamplingLayer.Builder(PoolingType.PNORM)
            .pnorm(3)
            .kernelSize(3, 2)
            .stride(2, 2)
            .padding(one, one)
            .convolutionMode(mode)
            .build());
  }

  @ParameterizedTest
  @MethodSource("layersOfMaps")
  void aLayerOfMapsIsTheSame(Layer layer) {
    assertEqual(layer, IMAGES);
  }

  @ParameterizedTest
  @MethodSource("layersOfMaps")
  void soItIsWhereChannelsComeLast(Layer layer) {
    Layer last = layer.clone();
    if (last instanceof LocalResponseNormalization normalization) {
      normalization.setDataFormat(CNN2DFormat.NHWC);
    }
    InputType images = InputType.convolutional(9, 8, 4, CNN2DFormat.NHWC);
    ComputationGraph net;
    try {
      net = net(last, images);
      net.outputSingle(input(images));
    } catch (RuntimeException e) { // DL4J itself cannot
      return;
    }
    Answers.assertEqual(net, images, input(images));
  }

  static Stream<Layer> layersOfVectors() {
    return Stream.of(
        new DenseLayer.Builder().nOut(3).hasBias(false).build(),
        new OutputLayer.Builder(LossFunction.MCXENT).nOut(3).activation(Activation.SOFTMAX).build(),
        new CenterLossOutputLayer.Builder(LossFunction.MCXENT)
            .nOut(3)
            .activation(Activation.SOFTMAX)
            .build(),
        new LossLayer.Builder(LossFunction.MCXENT).activation(Activation.SOFTMAX).build(),
        new ActivationLayer(Activation.SOFTMAX));
  }

  @ParameterizedTest
  @MethodSource("layersOfVectors")
  void aLayerOfVectorsIsTheSame(Layer layer) {
    assertEqual(layer, VECTORS);
  }

  @Test
  void aBatchNormalizationOfVectorsIsTheSame() {
    GraphBuilder graph = graph().addLayer("dense", same(VECTORS, Activation.TANH), "input");
    graph.addLayer("norm", new BatchNormalization.Builder().build(), "dense");
    graph.addLayer("layer", new ActivationLayer(Activation.IDENTITY), "norm");
    Answers.assertEqual(built(graph, VECTORS), VECTORS, input(VECTORS));
  }

  @ParameterizedTest
  @EnumSource
  void anActivationIsTheSameOrRefused(Activation activation) {
    ComputationGraph net = net(new ActivationLayer(activation), VECTORS);
    if (activation == Activation.RATIONALTANH || activation == Activation.RRELU) {
      assertThatThrownBy(() -> OnnxWriter.write(net, VECTORS))
          .hasMessageContaining("the activation function");
    } else {
      Answers.assertEqual(net, VECTORS, input(VECTORS).mul(3));
    }
  }

  /** A layer whose output is as large as its input. (Activation layers change their input.) */
  private static Layer same(InputType type, Activation activation) {
    return type == IMAGES
        ? new ConvolutionLayer.Builder(1, 1).nOut(4).activation(activation).build()
        : new DenseLayer.Builder().nOut(6).activation(activation).build();
  }

  static Stream<GraphVertex> vertices() {
    return Stream.concat(
        Stream.of(ElementWiseVertex.Op.values())
            .filter(op -> op != ElementWiseVertex.Op.Subtract)
            .map(ElementWiseVertex::new),
        Stream.of(new MergeVertex()));
  }

  @ParameterizedTest
  @MethodSource("vertices")
  void aVertexIsTheSame(GraphVertex vertex) {
    for (InputType type : List.of(IMAGES, VECTORS)) {
      GraphBuilder graph = graph();
      graph.addLayer("other", same(type, Activation.SIGMOID), "input");
      graph.addLayer("third", same(type, Activation.TANH), "input");
      graph.addVertex("layer", vertex.clone(), "input", "other", "third");
      Answers.assertEqual(built(graph, type), type, input(type));
    }
  }

  static Stream<GraphVertex> verticesOfOne() {
    return Stream.of(
        new ScaleVertex(0.3), new ShiftVertex(2), new SubsetVertex(1, 2), new L2NormalizeVertex());
  }

  @ParameterizedTest
  @MethodSource("verticesOfOne")
  void aVertexWithOneInputIsTheSame(GraphVertex vertex) {
    GraphBuilder graph = graph().addVertex("layer", vertex, "input");
    Answers.assertEqual(built(graph, IMAGES), IMAGES, input(IMAGES));
  }

  @Test
  void aDifferenceIsTheSame() {
    GraphBuilder graph = graph();
    graph.addLayer("other", same(IMAGES, Activation.SIGMOID), "input");
    graph.addVertex(
        "layer", new ElementWiseVertex(ElementWiseVertex.Op.Subtract), "other", "input");
    Answers.assertEqual(built(graph, IMAGES), IMAGES, input(IMAGES));
  }

  @Test
  void sequencesAreMaps() {
    InputType sequences = InputType.recurrent(5, 7, RNNFormat.NCW);
    GraphBuilder graph = graph();
    graph.addLayer(
        "kernel",
        new KernelAggregationLayer.Builder().kernel(new RbfKernel()).build(),
        new RnnToMapsPreProcessor(RNNFormat.NCW),
        "input");
    graph.addLayer("layer", new SpdVectorizationLayer.Builder().build(), "kernel");
    Answers.assertEqual(built(graph, sequences), sequences, input(sequences));
  }

  @Test
  void acceleratedLayersAreThoseOfDl4j() {
    GraphBuilder graph = graph();
    graph.addLayer(
        "maps",
        new ConvolutionLayer.Builder(3, 3).nOut(4).activation(Activation.RELU).build(),
        "input");
    graph.addLayer("norm", new LocalResponseNormalization(), "maps");
    graph.addLayer("pool", new SubsamplingLayer.Builder(PoolingType.MAX).build(), "norm");
    graph.addLayer(
        "layer",
        new OutputLayer.Builder(LossFunction.MCXENT).nOut(3).activation(Activation.SOFTMAX).build(),
        "pool");
    ComputationGraph net = built(graph, IMAGES);
    Acceleration.applyTo(net);
    Answers.assertEqual(net, IMAGES, input(IMAGES));
  }

  @Test
  void whatIsRefusedIsNamed() {
    refuses(new Deconvolution2D.Builder(2, 2).nOut(3).build(), "Deconvolution2D 'layer'");
    refuses(
        new SubsamplingLayer.Builder(PoolingType.PNORM).pnorm(2).dilation(2, 2).build(),
        "SubsamplingLayer 'layer' cannot be written as ONNX: pooling of the type PNORM with a"
            + " dilation");
    refuses(new ActivationLayer(new ActivationGELU(true)), "the activation function");
    refuses(
        new ConvolutionLayer.Builder(1, 1).nOut(3).activation(Activation.SOFTMAX).build(),
        "ConvolutionLayer 'layer'");
    GraphBuilder graph = graph().addVertex("layer", new UnstackVertex(0, 1), "input");
    assertThatThrownBy(() -> OnnxWriter.write(built(graph, IMAGES), IMAGES))
        .hasMessageContaining("UnstackVertex 'layer'");
    for (LogMetric metric : LogMetric.values()) {
      GraphBuilder classifier = graph();
      classifier.addLayer("kernel", new KernelAggregationLayer.Builder().build(), "input");
      classifier.addLayer(
          "layer", new SpdOutputLayer.Builder().metric(metric).nOut(3).build(), "kernel");
      assertThatThrownBy(() -> OnnxWriter.write(built(classifier, IMAGES), IMAGES))
          .hasMessageContaining("SpdOutputLayer 'layer'")
          .hasMessageContaining("isqrt-cov");
    }
  }

  private static void refuses(Layer layer, String message) {
    assertThatThrownBy(() -> OnnxWriter.write(net(layer, IMAGES), IMAGES))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining(message);
  }

  @Test
  void theFileIsTheSameEachTime() {
    ComputationGraph net = net(new ConvolutionLayer.Builder(3, 3).nOut(2).build(), IMAGES);
    assertThat(OnnxWriter.write(net, IMAGES)).isEqualTo(OnnxWriter.write(net, IMAGES));
  }

  private static void assertEqual(Layer layer, InputType type) {
    Answers.assertEqual(net(layer, type), type, input(type));
  }

  private static ComputationGraph net(Layer layer, InputType type) {
    return built(graph().addLayer("layer", layer.clone(), "input"), type);
  }

  /** Without workspaces: a batch normalisation alone does not find its own in 1.0.0-M1.1. */
  private static GraphBuilder graph() {
    return new NeuralNetConfiguration.Builder()
        .seed(1)
        .dataType(DataType.FLOAT)
        .trainingWorkspaceMode(WorkspaceMode.NONE)
        .inferenceWorkspaceMode(WorkspaceMode.NONE)
        .graphBuilder()
        .addInputs("input");
  }

  /** The network, all of whose parameters differ. */
  private static ComputationGraph built(GraphBuilder graph, InputType type) {
    ComputationGraph net =
        new ComputationGraph(graph.setOutputs("layer").setInputTypes(type).build());
    net.init();
    if (net.numParams() > 0) {
      Random random = new Random(2);
      double[] params = random.doubles(net.numParams(), 0.1, 0.6).toArray();
      net.setParams(Nd4j.createFromArray(params).castTo(DataType.FLOAT).reshape(1, -1));
    }
    return net;
  }

  private static INDArray input(InputType type) {
    long[] shape = type.getShape(true);
    shape[0] = 3;
    int length = (int) Arrays.stream(shape).reduce(1, (a, b) -> a * b);
    double[] numbers = new Random(3).doubles(length, -1, 1).toArray();
    return Nd4j.createFromArray(numbers).castTo(DataType.FLOAT).reshape(shape);
  }
}
