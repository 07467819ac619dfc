/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.acceleration;

import static io.github.spd4j.testing.Tolerances.FLOAT_ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration.GraphBuilder;
import org.deeplearning4j.nn.conf.ConvolutionMode;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.GlobalPoolingLayer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.conf.layers.PoolingType;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.Sgd;

/**
 * An accelerated network against the same network as DL4J runs it. The CPU's libraries are tried
 * everywhere: where a backend was built without them, ND4J has operations of the same names.
 */
class AccelerationTest {

  static final int BATCH = 3;
  private static final int CLASSES = 4;
  static final int HEIGHT = 11;
  static final int WIDTH = 9;

  /** The rounding of some steps. */
  private static final double STEPS = 10 * FLOAT_ROUNDING;

  /** Two convolutions, so that the gradient of an input is used, with an odd shape of image. */
  static ComputationGraph net(DataType type, ConvolutionLayer.Builder... layers) {
    return net(type, Activation.TANH, layers);
  }

  static ComputationGraph net(
      DataType type, Activation function, ConvolutionLayer.Builder... layers) {
    GraphBuilder graph =
        new NeuralNetConfiguration.Builder()
            .seed(5)
            .dataType(type)
            .updater(new Sgd(0.1))
            .graphBuilder()
            .addInputs("in")
            .setInputTypes(InputType.convolutional(HEIGHT, WIDTH, 3));
    String last = "in";
    for (int i = 0; i < layers.length; i++) {
      String name = "conv" + i;
      graph.addLayer(name, layers[i].nOut(5 + i).activation(function).build(), last);
      last = name;
    }
    ComputationGraph net =
        new ComputationGraph(
            graph
                .addLayer("pool", new GlobalPoolingLayer(PoolingType.AVG), last)
                .addLayer(
                    "out",
                    new OutputLayer.Builder().nOut(CLASSES).activation(Activation.SOFTMAX).build(),
                    "pool")
                .setOutputs("out")
                .build());
    net.init();
    net.params().addi(0.01); // biases begin at zero
    return net;
  }

  static ConvolutionLayer.Builder conv(int size, int stride, int pad, String mode) {
    return new ConvolutionLayer.Builder(new int[] {size, size}, new int[] {stride, stride})
        .padding(pad, pad)
        .convolutionMode(ConvolutionMode.valueOf(mode));
  }

  static DataSet images(DataType type) {
    Nd4j.getRandom().setSeed(3);
    INDArray labels = Nd4j.zeros(type, BATCH, CLASSES);
    for (int i = 0; i < BATCH; i++) {
      labels.putScalar(i, i, 1);
    }
    return new DataSet(Nd4j.randn(type, BATCH, 3, HEIGHT, WIDTH), labels);
  }

  /** A convolution of 3×3 with other numbers for rows than for columns. */
  private static ConvolutionLayer.Builder uneven(String strides, String pads, String dilation) {
    return new ConvolutionLayer.Builder(new int[] {3, 3}, pair(strides), pair(pads))
        .dilation(pair(dilation));
  }

  private static int[] pair(String numbers) {
    return Arrays.stream(numbers.split("x")).mapToInt(Integer::parseInt).toArray();
  }

  static INDArray gradient(ComputationGraph net, DataSet data) {
    net.setInputs(data.getFeatures());
    net.setLabels(data.getLabels());
    net.computeGradientAndScore();
    return net.gradient().gradient().dup();
  }

  static Stream<NativeLibrary> onCpu() {
    return Stream.of(NativeLibrary.ARM_COMPUTE, NativeLibrary.ONE_DNN, NativeLibrary.BLAS);
  }

  /** An accelerated copy of a network. */
  private static ComputationGraph accelerated(ComputationGraph plain, NativeLibrary library) {
    ComputationGraph fast = plain.clone();
    Acceleration acceleration = Acceleration.applyTo(fast, library);
    assertThat(acceleration.accelerated()).isEqualTo(acceleration.convolutions()).isPositive();
    return fast;
  }

  /** DL4J goes on without a helper that fails, and its results are right. */
  static void assertHelpersDidNotFail(Layer... layers) {
    for (Layer layer : layers) {
      if (layer instanceof org.deeplearning4j.nn.layers.convolution.ConvolutionLayer) {
        assertThat(
                Acceleration.failures(
                    (org.deeplearning4j.nn.layers.convolution.ConvolutionLayer) layer))
            .isZero();
      }
    }
  }

  /** Compares what two networks make of the same images, parameter by parameter. */
  static void assertSame(ComputationGraph fast, ComputationGraph plain, double tolerance) {
    DataSet data = images(plain.getConfiguration().getDataType());
    assertClose(
        fast.outputSingle(data.getFeatures()), plain.outputSingle(data.getFeatures()), tolerance);
    gradient(fast, data);
    gradient(plain, data);
    plain
        .gradient()
        .gradientForVariable()
        .forEach((name, g) -> assertRelative(fast.gradient().getGradientFor(name), g, tolerance));
    assertHelpersDidNotFail(fast.getLayers());
  }

  /** However small the arrays are. */
  private static void assertRelative(INDArray actual, INDArray expected, double tolerance) {
    double norm = expected.norm2Number().doubleValue();
    assertThat(norm).isPositive();
    assertClose(actual.div(norm), expected.div(norm), tolerance);
  }

  /** Convolutions of all kinds. */
  static Stream<ConvolutionLayer.Builder> layers() {
    return Stream.of(
        conv(1, 1, 0, "Truncate"),
        conv(3, 1, 0, "Truncate"),
        conv(3, 1, 1, "Truncate"),
        conv(3, 1, 2, "Truncate"),
        conv(3, 1, 0, "Same"),
        conv(5, 1, 2, "Strict"),
        conv(5, 1, 0, "Same"),
        conv(4, 1, 0, "Same"),
        conv(3, 2, 1, "Truncate"),
        conv(3, 2, 0, "Same"),
        conv(7, 2, 3, "Truncate"),
        conv(2, 3, 4, "Truncate"),
        conv(7, 1, 3, "Truncate"),
        conv(1, 2, 0, "Truncate"),
        uneven("1x2", "1x1", "1x1"),
        uneven("2x1", "1x1", "1x1"),
        uneven("1x1", "2x0", "1x1"),
        uneven("1x1", "0x1", "1x1"),
        uneven("1x1", "2x2", "2x2"),
        uneven("1x1", "1x2", "1x2"),
        uneven("1x1", "2x1", "2x1"),
        uneven("1x1", "1x1", "2x2"));
  }

  static Stream<Arguments> convolutions() {
    return onCpu().flatMap(library -> layers().map(layer -> Arguments.of(library, layer)));
  }

  @ParameterizedTest
  @MethodSource("convolutions")
  void givesTheSameOutputAndGradient(NativeLibrary library, ConvolutionLayer.Builder layer) {
    ComputationGraph plain = net(DataType.FLOAT, conv(3, 1, 1, "Truncate"), layer);
    assertSame(accelerated(plain, library), plain, FLOAT_ROUNDING);
  }

  @ParameterizedTest
  @MethodSource("onCpu")
  void withoutBias(NativeLibrary library) {
    ComputationGraph plain =
        net(
            DataType.FLOAT,
            conv(3, 1, 1, "Truncate").hasBias(false),
            conv(5, 1, 2, "Truncate").hasBias(false));
    assertSame(accelerated(plain, library), plain, FLOAT_ROUNDING);
  }

  @ParameterizedTest
  @MethodSource("onCpu")
  void trainsTheSame(NativeLibrary library) {
    ComputationGraph plain = twoLayers();
    ComputationGraph fast = accelerated(plain, library);
    DataSet data = images(DataType.FLOAT);
    INDArray before = plain.params().dup();
    for (int step = 0; step < 5; step++) {
      plain.fit(data);
      fast.fit(data);
    }
    assertRelative(fast.params().sub(before), plain.params().sub(before), STEPS);
    assertHelpersDidNotFail(fast.getLayers());
  }

  /** As explanations do: the gradient is asked for at another input than the last forward pass. */
  @ParameterizedTest
  @MethodSource("onCpu")
  void anInputThatIsSetBetweenThePassesCounts(NativeLibrary library) {
    ComputationGraph plain =
        net(DataType.FLOAT, Activation.RELU, conv(3, 1, 1, "Truncate"), conv(3, 1, 0, "Truncate"));
    INDArray first = images(DataType.FLOAT).getFeatures();
    INDArray second = Nd4j.randn(DataType.FLOAT, BATCH, 3, HEIGHT, WIDTH);
    INDArray epsilon = Nd4j.randn(DataType.FLOAT, BATCH, 5, HEIGHT, WIDTH);
    ComputationGraph fast = accelerated(plain, library);
    gradient(plain, images(DataType.FLOAT)); // makes room for gradients
    gradient(fast, images(DataType.FLOAT));
    Layer expected = plain.getLayer("conv0");
    Layer layer = fast.getLayer("conv0");
    assertClose(
        gradientAtSecond(layer, first, second, epsilon),
        gradientAtSecond(expected, first, second, epsilon),
        FLOAT_ROUNDING);
    assertHelpersDidNotFail(layer);
  }

  private static INDArray gradientAtSecond(
      Layer layer, INDArray first, INDArray second, INDArray epsilon) {
    LayerWorkspaceMgr workspaces = LayerWorkspaceMgr.noWorkspaces();
    layer.setInput(first.dup(), workspaces);
    layer.activate(true, workspaces);
    layer.setInput(second.dup(), workspaces);
    return layer.backpropGradient(epsilon.dup(), workspaces).getSecond();
  }

  private static ComputationGraph twoLayers() {
    return net(DataType.FLOAT, conv(3, 1, 1, "Truncate"), conv(3, 1, 0, "Truncate"));
  }

  @ParameterizedTest
  @MethodSource("onCpu")
  void leavesInputsAndParametersAlone(NativeLibrary library) {
    ComputationGraph net = twoLayers();
    INDArray parameters = net.params().dup();
    DataSet data = images(DataType.FLOAT);
    INDArray images = data.getFeatures().dup();
    Acceleration.applyTo(net, library);
    gradient(net, data);
    assertThat(net.params()).isEqualTo(parameters);
    assertThat(data.getFeatures()).isEqualTo(images);
  }

  @ParameterizedTest
  @MethodSource("onCpu")
  void takesImagesInAnyMemoryLayout(NativeLibrary library) {
    ComputationGraph plain = net(DataType.FLOAT, conv(3, 1, 1, "Truncate"));
    ComputationGraph fast = accelerated(plain, library);
    INDArray images = images(DataType.FLOAT).getFeatures();
    INDArray permuted = images.permute(1, 0, 3, 2).dup('c').permute(1, 0, 3, 2);
    for (INDArray layout : List.of(images.dup('f'), permuted)) {
      assertClose(fast.outputSingle(layout), plain.outputSingle(images), FLOAT_ROUNDING);
    }
    assertHelpersDidNotFail(fast.getLayers());
  }

  @ParameterizedTest
  @MethodSource("onCpu")
  void leavesDoublePrecisionAsItIs(NativeLibrary library) {
    ComputationGraph net = net(DataType.DOUBLE, conv(3, 1, 1, "Truncate"));
    assertThat(Acceleration.applyTo(net, library).accelerated()).isZero();
    assertThat(net.getLayer("conv0").getHelper()).isNull();
    assertThat(net.clone().getLayer("conv0").getHelper()).isNull();
  }

  @Test
  void usesWhatTheBackendWasBuiltWith() {
    ComputationGraph net = twoLayers();
    Acceleration acceleration = Acceleration.applyTo(net);
    int expected = NativeLibrary.ofBackend(Precision.FLOAT) == NativeLibrary.NONE ? 0 : 2;
    assertThat(acceleration.accelerated()).isEqualTo(expected);
    assertThat(Acceleration.isAppliedTo(net)).isEqualTo(expected > 0);
    assertThat(acceleration)
        .hasToString(
            NativeLibrary.ofBackend(Precision.FLOAT) + " for " + expected + " of 2 convolutions");
    assertSame(
        net,
        net(DataType.FLOAT, conv(3, 1, 1, "Truncate"), conv(3, 1, 0, "Truncate")),
        FLOAT_ROUNDING);
  }
}
