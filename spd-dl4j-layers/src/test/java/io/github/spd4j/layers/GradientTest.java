/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import static io.github.spd4j.testing.Tolerances.DERIVATIVE;
import static io.github.spd4j.testing.Tolerances.assertSmall;

import io.github.spd4j.kernel.Bandwidth;
import io.github.spd4j.kernel.CovarianceKernel;
import io.github.spd4j.kernel.Kernel;
import io.github.spd4j.kernel.LaplacianKernel;
import io.github.spd4j.kernel.PolynomialKernel;
import io.github.spd4j.kernel.RbfKernel;
import io.github.spd4j.manifold.Stiefel;
import io.github.spd4j.testing.FiniteDifferences;
import io.github.spd4j.testing.GradientChecks;
import io.github.spd4j.testing.Mixtures;
import io.github.spd4j.testing.Networks;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration.ListBuilder;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.NoOp;
import org.nd4j.linalg.lossfunctions.LossFunctions.LossFunction;

/** Every layer with every option against DL4J's gradient check, and W along tangent directions. */
class GradientTest {

  private static final InputType IMAGE = InputType.convolutional(6, 6, 1);

  private static DataSet images() {
    return Networks.images(DataType.DOUBLE, 1, 3, 1, 6, 6);
  }

  private static KernelAggregationLayer aggregation(Kernel kernel) {
    return new KernelAggregationLayer.Builder().kernel(kernel).build();
  }

  private static SpdTransformLayer.Builder transform(int nOut) {
    return new SpdTransformLayer.Builder().nOut(nOut);
  }

  private static SpdVectorizationLayer vectorization() {
    return new SpdVectorizationLayer.Builder().build();
  }

  /** Kernels whose backward pass is the whole derivative. */
  static Stream<Kernel> differentiated() {
    return Stream.of(
        new RbfKernel(Bandwidth.fixed(2)),
        new RbfKernel(Bandwidth.meanDistance().differentiated()),
        new RbfKernel(Bandwidth.meanDistance().times(0.7).differentiated()),
        new LaplacianKernel(Bandwidth.fixed(2)),
        new LaplacianKernel(Bandwidth.meanDistance().differentiated()),
        new RbfKernel(Bandwidth.fixed(2).learnt()),
        new LaplacianKernel(Bandwidth.meanDistance().times(0.7).differentiated().learnt()),
        PolynomialKernel.degree(2).offset(1).scale(0.1),
        new CovarianceKernel());
  }

  /** All kernels: with nothing before the layer, a constant σ is constant for the check too. */
  static Stream<Kernel> all() {
    return Stream.concat(
        differentiated(),
        Stream.of(
            new RbfKernel(),
            new RbfKernel(Bandwidth.meanDistance().times(2)),
            new RbfKernel(Bandwidth.meanDistance().learnt()),
            new LaplacianKernel()));
  }

  /** Moves what a kernel learns away from its start, where e^θ is 1. */
  private static ComputationGraph moved(ComputationGraph net) {
    net.getLayer("layer0").paramTable().values().forEach(parameter -> parameter.assign(0.3));
    return net;
  }

  @ParameterizedTest
  @MethodSource("differentiated")
  void kernelsBehindAConvolution(Kernel kernel) {
    List<Layer> head = List.of(aggregation(kernel), transform(3).build(), vectorization());
    GradientChecks.check(moved(Networks.forGradientCheck(head, IMAGE)), images());
  }

  @ParameterizedTest
  @MethodSource("all")
  void kernelsOnTheInput(Kernel kernel) {
    List<Layer> head = List.of(aggregation(kernel), transform(3).build(), vectorization());
    ComputationGraph net =
        Networks.plain(
            Networks.general(DataType.DOUBLE, new NoOp()), head, InputType.convolutional(3, 3, 5));
    GradientChecks.check(moved(net), Networks.images(DataType.DOUBLE, 2, 4, 5, 3, 3));
  }

  @Test
  void ridge() {
    Kernel kernel = new RbfKernel(Bandwidth.meanDistance().differentiated());
    KernelAggregationLayer ridge =
        new KernelAggregationLayer.Builder().kernel(kernel).ridge(0.1).build();
    List<Layer> head = List.of(ridge, transform(4).build(), vectorization());
    GradientChecks.check(Networks.forGradientCheck(head, IMAGE), images());
  }

  @Test
  void channelsLast() {
    Kernel kernel = new RbfKernel(Bandwidth.fixed(2));
    List<Layer> head = List.of(aggregation(kernel), transform(3).build(), vectorization());
    InputType image = InputType.convolutional(6, 6, 1, CNN2DFormat.NHWC);
    ComputationGraph net = Networks.forGradientCheck(head, image);
    GradientChecks.check(net, Networks.images(DataType.DOUBLE, 1, 3, 6, 6, 1));
  }

  static Stream<List<SpdTransformLayer>> transforms() {
    return Stream.of(
        List.of(),
        List.of(transform(5).build()),
        List.of(transform(1).build()),
        List.of(transform(5).init(StiefelInit.IDENTITY).build()),
        List.of(transform(4).rectifier(Rectifier.RELU).build()),
        List.of(transform(5).build(), transform(4).build(), transform(2).build()),
        List.of(transform(5).rectifier(Rectifier.RELU).build(), transform(3).build()));
  }

  @ParameterizedTest
  @MethodSource("transforms")
  void transforms(List<SpdTransformLayer> transforms) {
    List<Layer> head = new ArrayList<>();
    head.add(aggregation(new RbfKernel(Bandwidth.fixed(2))));
    head.addAll(transforms);
    head.add(vectorization());
    GradientChecks.check(Networks.forGradientCheck(head, IMAGE), images());
  }

  static Stream<SpdVectorizationLayer> vectorizations() {
    return Stream.of(
        new SpdVectorizationLayer.Builder().powerFloor(0.3).build(),
        new SpdVectorizationLayer.Builder().powerNormalization(false).build(),
        new SpdVectorizationLayer.Builder().l2Normalization(false).build(),
        new SpdVectorizationLayer.Builder().scale(10).build(),
        new SpdVectorizationLayer.Builder()
            .powerNormalization(false)
            .l2Normalization(false)
            .scale(0.5)
            .build());
  }

  @ParameterizedTest
  @MethodSource("vectorizations")
  void vectorizations(SpdVectorizationLayer vectorization) {
    Kernel kernel = new RbfKernel(Bandwidth.fixed(2));
    List<Layer> head = List.of(aggregation(kernel), transform(3).build(), vectorization);
    GradientChecks.check(Networks.forGradientCheck(head, IMAGE), images());
  }

  static Stream<List<Layer>> secondOrderHeads() {
    return Networks.secondOrderHeads();
  }

  @ParameterizedTest
  @MethodSource("secondOrderHeads")
  void secondOrderHeads(List<Layer> head) {
    GradientChecks.check(Networks.forGradientCheck(head, IMAGE), images());
  }

  static Stream<Layer> functions() {
    return Stream.of(
        new MatrixSquareRootLayer.Builder().build(),
        new MatrixSquareRootLayer.Builder().iterations(1).build(),
        new ReEigLayer.Builder().floor(0.5).build(),
        new LogEigLayer.Builder().floor(0.5).build(),
        new MatrixPowerLayer.Builder().floor(0.5).build(),
        new MatrixPowerLayer.Builder().exponent(0.25).floor(0.5).build(),
        new MatrixPowerLayer.Builder().exponent(-1.5).floor(0.5).build(),
        new ExpEigLayer.Builder().build(),
        new ShrinkageLayer.Builder().shrinkage(0.3).build(),
        new ShrinkageLayer.Builder().learntFrom(0.3).build(),
        new SparseInverseLayer.Builder().steps(1).build(),
        new SparseInverseLayer.Builder().steps(0).iterations(1).build());
  }

  /** Functions of matrices, with a gradient that is not symmetric. */
  @ParameterizedTest
  @MethodSource("functions")
  void functionsBeforeALayerThatIsNotOurs(Layer function) {
    List<Layer> head =
        List.of(
            aggregation(new CovarianceKernel()),
            function,
            new DenseLayer.Builder().nOut(2).activation(Activation.TANH).build());
    GradientChecks.check(Networks.forGradientCheck(head, IMAGE), images());
  }

  /** With a ReLU, which some of the maps pass and others do not. */
  @Test
  void scaleAndShift() {
    List<Layer> head =
        List.of(
            new ScaleShiftLayer.Builder().build(),
            new ScaleShiftLayer.Builder().rectified(true).build(),
            new BilinearPoolingLayer.Builder().powerNormalization(false).build());
    ComputationGraph net = Networks.forGradientCheck(head, IMAGE);
    for (String layer : List.of("layer0", "layer1")) {
      INDArray scale = net.getParam(layer + "_" + ScaleShiftLayer.SCALE);
      scale.assign(Nd4j.rand(scale.dataType(), scale.shape()).addi(0.5));
      INDArray shift = net.getParam(layer + "_" + ScaleShiftLayer.SHIFT);
      shift.assign(Nd4j.randn(shift.dataType(), shift.shape()).muli(0.3));
    }
    GradientChecks.check(net, images());
  }

  /** A gradient that is not symmetric: the matrix goes into a dense layer as it is. */
  @Test
  void transformBeforeALayerThatIsNotOurs() {
    List<Layer> head =
        List.of(
            aggregation(new RbfKernel(Bandwidth.fixed(2))),
            transform(3).build(),
            new DenseLayer.Builder().nOut(2).activation(Activation.TANH).build());
    GradientChecks.check(Networks.forGradientCheck(head, IMAGE), images());
  }

  static Stream<Layer> encodings() {
    return Stream.of(
        new TextureEncodingLayer.Builder().words(3).build(),
        new TextureEncodingLayer.Builder().words(2).powerNormalization(true).scale(3).build(),
        new FisherVectorLayer.Builder().components(2).build(),
        new FisherVectorLayer.Builder()
            .components(3)
            .dimensions(2)
            .powerNormalization(false)
            .l2Normalization(false)
            .build());
  }

  @ParameterizedTest
  @MethodSource("encodings")
  void encodings(Layer layer) {
    ComputationGraph net = Networks.forGradientCheck(List.of(layer), IMAGE);
    GradientChecks.check(net, images(), Mixtures.parametersOf(net));
  }

  @Test
  void inAMultiLayerNetwork() {
    ListBuilder list = Networks.general(DataType.DOUBLE, new NoOp()).list();
    list.layer(aggregation(new RbfKernel(Bandwidth.fixed(2))));
    list.layer(transform(4).build());
    list.layer(transform(3).build());
    list.layer(vectorization());
    list.layer(
        new OutputLayer.Builder(LossFunction.MCXENT)
            .activation(Activation.SOFTMAX)
            .nOut(Networks.CLASSES)
            .build());
    list.setInputType(InputType.convolutional(3, 3, 5));
    MultiLayerNetwork net = new MultiLayerNetwork(list.build());
    net.init();
    GradientChecks.check(net, Networks.images(DataType.DOUBLE, 2, 4, 5, 3, 3));
  }

  /** ⟨∂L/∂W, ξ⟩ is the derivative of the score along ξ, for tangent ξ. */
  @ParameterizedTest
  @MethodSource("all")
  void parametersAlongTangentDirections(Kernel kernel) {
    List<Layer> head = List.of(aggregation(kernel), transform(3).build(), vectorization());
    ComputationGraph net =
        Networks.plain(
            Networks.general(DataType.DOUBLE, new NoOp()), head, InputType.convolutional(3, 3, 5));
    DataSet data = Networks.images(DataType.DOUBLE, 2, 4, 5, 3, 3);
    net.setInput(0, data.getFeatures());
    net.setLabel(0, data.getLabels());
    net.computeGradientAndScore();
    INDArray w = net.getParam("layer1_W").dup();
    INDArray byW = net.gradient().getGradientFor("layer1_W").div(data.numExamples());
    for (int i = 0; i < 5; i++) {
      INDArray tangent = Stiefel.projection(w, Nd4j.randn(DataType.DOUBLE, w.shape()));
      double expected = FiniteDifferences.along(x -> score(net, data, x), w, tangent);
      assertSmall(byW.mul(tangent).sumNumber().doubleValue() - expected, DERIVATIVE);
    }
  }

  private static double score(ComputationGraph net, DataSet data, INDArray w) {
    net.setParam("layer1_W", w);
    return net.score(data);
  }
}
