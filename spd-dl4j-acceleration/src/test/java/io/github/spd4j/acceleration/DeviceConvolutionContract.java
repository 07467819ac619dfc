/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.acceleration;

import static io.github.spd4j.acceleration.AccelerationTest.BATCH;
import static io.github.spd4j.acceleration.AccelerationTest.HEIGHT;
import static io.github.spd4j.acceleration.AccelerationTest.WIDTH;
import static io.github.spd4j.acceleration.AccelerationTest.conv;
import static io.github.spd4j.testing.Tolerances.FLOAT_ROUNDING;
import static io.github.spd4j.testing.Tolerances.ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.internal.acceleration.DeviceLibrary;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.conf.ConvolutionMode;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.GlobalPoolingLayer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.conf.layers.PoolingType;
import org.deeplearning4j.nn.conf.layers.SubsamplingLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.activations.IActivation;
import org.nd4j.linalg.activations.impl.ActivationReLU;
import org.nd4j.linalg.activations.impl.ActivationReLU6;
import org.nd4j.linalg.activations.impl.ActivationTanH;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.memory.MemoryWorkspace;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.Sgd;

/** A library for convolutions and poolings on a device, against DL4J's own layers. */
public abstract class DeviceConvolutionContract {

  private final Optional<DeviceLibrary> present = NativeLibrary.device;

  /**
   * What is tested.
   *
   * @return a library that can be used
   */
  protected abstract DeviceLibrary library();

  /**
   * How far results may be off: operands of both convolutions of a network, forward and backward,
   * are rounded by up to half a unit of the last place. These twelve errors of either sign add up
   * to about √12 of one; twice that is accepted.
   *
   * @return a share of what is compared
   */
  protected double tolerance() {
    return FLOAT_ROUNDING;
  }

  /**
   * That of operands with fewer digits.
   *
   * @param bits how many of mantissa they have
   * @return a share of what is compared
   */
  protected static double tolerance(int bits) {
    return 2 * Math.sqrt(12) * Math.pow(2, -bits - 1);
  }

  /** Counts the calls, so that DL4J's own results are not compared with themselves. */
  private DeviceLibrary counting(List<String> calls) {
    return failingAt(0, "", calls);
  }

  /** The same, and one of the calls of a method fails when its work is done. */
  private DeviceLibrary failingAt(int call, String name, List<String> calls) {
    DeviceLibrary library = library();
    return (DeviceLibrary)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {DeviceLibrary.class},
            (proxy, method, arguments) -> {
              calls.add(method.getName());
              Object result = method.invoke(library, arguments);
              if (method.getName().equals(name) && Collections.frequency(calls, name) == call) {
                throw new IllegalStateException("one call fails");
              }
              return result;
            });
  }

  /** As users do, with the functions of the library. */
  private static ComputationGraph accelerated(ComputationGraph plain, DeviceLibrary library) {
    NativeLibrary.device = Optional.of(library);
    ComputationGraph net = plain.clone();
    Acceleration.applyTo(net);
    return net;
  }

  @AfterEach
  void giveBack() {
    NativeLibrary.device = present;
  }

  private List<String> accelerate(ComputationGraph net) {
    List<String> calls = new ArrayList<>();
    DeviceLibrary library = counting(calls);
    for (Layer layer : net.getLayers()) {
      if (layer instanceof org.deeplearning4j.nn.layers.convolution.ConvolutionLayer) {
        Acceleration.install(
            new DeviceConvolution(library, Precision.FLOAT, () -> functionOf(layer)),
            (org.deeplearning4j.nn.layers.convolution.ConvolutionLayer) layer);
      } else if (layer
          instanceof org.deeplearning4j.nn.layers.convolution.subsampling.SubsamplingLayer) {
        LayerFields.set(
            LayerFields.field(
                org.deeplearning4j.nn.layers.convolution.subsampling.SubsamplingLayer.class,
                "helper"),
            layer,
            new DevicePooling(library));
      }
    }
    return calls;
  }

  private static IActivation functionOf(Layer layer) {
    return ((ConvolutionLayer) layer.conf().getLayer()).getActivationFn();
  }

  static Stream<ConvolutionLayer.Builder> convolutions() {
    return AccelerationTest.layers();
  }

  @ParameterizedTest
  @MethodSource("convolutions")
  void convolutionsGiveTheSameOutputAndGradient(ConvolutionLayer.Builder layer) {
    ComputationGraph plain = AccelerationTest.net(DataType.FLOAT, conv(1, 1, 0, "Same"), layer);
    ComputationGraph fast = plain.clone();
    List<String> calls = accelerate(fast);
    AccelerationTest.assertSame(fast, plain, tolerance());
    // Forward in both passes and once more after tanh, and the gradients: twice, unless DL4J did
    // the
    // second one because its margins are not alike.
    boolean isEven = layer.build().getKernelSize()[0] % 2 == 0;
    assertThat(calls).hasSize(isEven ? 4 : 8);
  }

  /** What was found to be fast for many images has to be right for fewer. */
  @Test
  void fewerImagesAfterMoreTrainTheSame() {
    ComputationGraph plain =
        AccelerationTest.net(
            DataType.FLOAT, Activation.RELU, conv(3, 1, 1, "Truncate"), conv(5, 2, 2, "Truncate"));
    ComputationGraph fast = plain.clone();
    accelerate(fast);
    DataSet all = AccelerationTest.images(DataType.FLOAT);
    for (int images = all.numExamples(); images > 0; images--) {
      DataSet some = (DataSet) all.getRange(0, images);
      plain.fit(some);
      fast.fit(some);
      assertClose(fast.params(), plain.params(), tolerance());
    }
  }

  /** Memory of a workspace is used again; what is in none may still be looked at. */
  @Test
  void rectifiersOverwriteWhatLiesInAWorkspace() {
    IActivation rectifier = DeviceRectifier.of(new ActivationReLU(), library());
    INDArray delta = Nd4j.createFromArray(1f, 2f, 3f);
    INDArray values = Nd4j.createFromArray(-1f, 2f, 3f);
    INDArray outside = rectifier.backprop(values, delta).getFirst().dup();
    assertThat(values.dup().data().asFloat()).containsExactly(-1, 2, 3);
    try (MemoryWorkspace workspace =
        Nd4j.getWorkspaceManager().getAndActivateWorkspace("rectifiers")) {
      INDArray inside = values.dup();
      assertThat(rectifier.backprop(inside, delta).getFirst()).isSameAs(inside);
      assertThat(inside.dup().data().asFloat()).containsExactly(outside.data().asFloat());
    }
    Nd4j.getWorkspaceManager().destroyAllWorkspacesForCurrentThread();
  }

  /** The library does it in the same pass, and nothing else comes in between. */
  @Test
  void rectifiersOfConvolutionsAreNotAppliedTwice() {
    ComputationGraph plain =
        AccelerationTest.net(DataType.FLOAT, Activation.RELU, conv(3, 1, 1, "Truncate"));
    ComputationGraph fast = plain.clone();
    List<String> calls = accelerate(fast);
    INDArray images = AccelerationTest.images(DataType.FLOAT).getFeatures();
    INDArray maps = fast.feedForward(images, false).get("conv0");
    assertClose(maps, plain.feedForward(images, false).get("conv0"), tolerance());
    assertThat(maps.minNumber().doubleValue()).isZero();
    assertThat(calls).containsExactly("convolve");
  }

  /** What a layer applies is looked up at every pass. */
  @Test
  void anotherFunctionCounts() {
    ComputationGraph plain =
        AccelerationTest.net(DataType.FLOAT, Activation.RELU, conv(3, 1, 1, "Truncate"));
    ComputationGraph fast = plain.clone();
    accelerate(fast);
    for (ComputationGraph net : List.of(plain, fast)) {
      ((ConvolutionLayer) net.getLayer("conv0").conf().getLayer())
          .setActivationFn(new ActivationTanH());
    }
    AccelerationTest.assertSame(fast, plain, tolerance());
  }

  /** Nothing that the library was to do is left out, nor done again. */
  @ParameterizedTest
  @CsvSource({
    "convolve, 1",
    "convolve, 2",
    "convolve, 3",
    "convolve, 4",
    "gradients, 1",
    "gradients, 2",
    "gradients, 3"
  })
  void whereItFailsDl4jGoesOn(String work, int call) {
    ComputationGraph plain = rectified();
    List<String> calls = new ArrayList<>();
    ComputationGraph fast = accelerated(plain, failingAt(call, work, calls));
    DataSet data = AccelerationTest.images(DataType.FLOAT);
    for (int step = 0; step < 3; step++) {
      assertClose(
          AccelerationTest.gradient(fast, data),
          AccelerationTest.gradient(plain, data),
          tolerance());
      data.getFeatures().addi(0.1);
    }
    assertThat(Collections.frequency(calls, work)).isBetween(call, 5);
  }

  private static ComputationGraph rectified() {
    return AccelerationTest.net(
        DataType.FLOAT, Activation.RELU, conv(3, 1, 1, "Truncate"), conv(3, 1, 1, "Truncate"));
  }

  @Test
  void rectifiersAreTheSame() {
    INDArray values = Nd4j.createFromArray(-1f, 2f, Float.NaN, 0f, 3f, -0f).reshape(1, 2, 1, 3);
    INDArray delta = Nd4j.createFromArray(1f, 2f, 3f, 4f, Float.NaN, 6f).reshape(1, 2, 1, 3);
    IActivation rectifier = DeviceRectifier.of(new ActivationReLU(), library());
    assertThat(rectifier).isEqualTo(new ActivationReLU()).isInstanceOf(DeviceRectifier.class);
    float[] gradient = rectifier.backprop(values, delta).getFirst().dup().data().asFloat();
    assertThat(gradient).containsExactly(0, 2, 0, 0, Float.NaN, 0);
    assertThat(rectifier.getActivation(values, true)).isSameAs(values);
    assertThat(values.dup().data().asFloat()).containsExactly(0, 2, Float.NaN, 0, 3, -0f);
  }

  /** One block of numbers and a rest, and arrays that do not lie in order. */
  @ParameterizedTest
  @ValueSource(ints = {1, 1023, 1024, 1025, 5000})
  void rectifiersOfAnyLength(int length) {
    Nd4j.getRandom().setSeed(length);
    INDArray wide = Nd4j.randn(DataType.FLOAT, length, 2);
    for (INDArray values : List.of(wide.dup(), wide.dup().getColumn(1, true))) {
      INDArray delta = Nd4j.randn(DataType.FLOAT, values.shape());
      IActivation rectifier = DeviceRectifier.of(new ActivationReLU(), library());
      assertClose(
          rectifier.backprop(values, delta).getFirst(),
          new ActivationReLU().backprop(values, delta).getFirst(),
          ROUNDING);
      INDArray expected = new ActivationReLU().getActivation(values.dup(), true);
      assertClose(rectifier.getActivation(values, true), expected, ROUNDING);
    }
  }

  @Test
  void rectifiersAreStoredAsDl4js() throws IOException {
    IActivation rectifier = DeviceRectifier.of(new ActivationReLU(), library());
    String json = NeuralNetConfiguration.mapper().writeValueAsString(rectifier);
    assertThat(json)
        .isEqualTo(NeuralNetConfiguration.mapper().writeValueAsString(new ActivationReLU()));
    assertThat(NeuralNetConfiguration.mapper().readValue(json, IActivation.class))
        .isExactlyInstanceOf(ActivationReLU.class);
  }

  @Test
  void otherFunctionsStayAsTheyAre() {
    for (IActivation other :
        List.of(new ActivationReLU(6.0, 0.0, 0.0), new ActivationReLU6(), new ActivationTanH())) {
      assertThat(DeviceRectifier.of(other, library())).isSameAs(other);
    }
  }

  @Test
  void withoutBias() {
    ComputationGraph plain =
        AccelerationTest.net(
            DataType.FLOAT,
            Activation.RELU,
            conv(3, 1, 1, "Truncate").hasBias(false),
            conv(5, 2, 2, "Truncate").hasBias(false));
    ComputationGraph fast = plain.clone();
    accelerate(fast);
    AccelerationTest.assertSame(fast, plain, tolerance());
  }

  /** Large enough for the algorithms that libraries take for real networks. */
  @Test
  void manyChannels() {
    ComputationGraph plain =
        AccelerationTest.net(
            DataType.FLOAT,
            Activation.RELU,
            conv(3, 1, 1, "Truncate"),
            conv(3, 1, 1, "Truncate"),
            conv(1, 1, 0, "Truncate"));
    ComputationGraph fast = plain.clone();
    accelerate(fast);
    DataSet data = AccelerationTest.images(DataType.FLOAT);
    for (int step = 0; step < 3; step++) {
      plain.fit(data);
      fast.fit(data);
    }
    assertClose(fast.params(), plain.params(), 10 * tolerance());
    AccelerationTest.assertHelpersDidNotFail(fast.getLayers());
  }

  @ParameterizedTest
  @CsvSource({
    "MAX, 2, 2, 0, Truncate, true",
    "MAX, 3, 2, 1, Truncate, true",
    "MAX, 3, 1, 1, Truncate, true",
    "MAX, 3, 2, 0, Same, true",
    "MAX, 2, 2, 0, Same, false", // a margin behind the image alone
    "AVG, 2, 2, 0, Truncate, true",
    "AVG, 3, 2, 0, Truncate, true",
    "AVG, 3, 1, 1, Truncate, false", // with or without the margin in the divisor
    "PNORM, 2, 2, 0, Truncate, false",
  })
  void poolingsGiveTheSameOutputAndGradient(
      PoolingType type, int size, int stride, int pad, ConvolutionMode mode, boolean done) {
    ComputationGraph plain = pooling(type, size, stride, pad, mode);
    ComputationGraph fast = plain.clone();
    List<String> calls = accelerate(fast);
    Nd4j.getRandom().setSeed(8);
    INDArray images = Nd4j.randn(DataType.FLOAT, BATCH, 3, HEIGHT, WIDTH);
    DataSet data = new DataSet(images, AccelerationTest.images(DataType.FLOAT).getLabels());
    assertClose(fast.outputSingle(images), plain.outputSingle(images), tolerance());
    assertClose(
        AccelerationTest.gradient(fast, data), AccelerationTest.gradient(plain, data), tolerance());
    // DL4J 1.0.0-M2.1 asks for the way back alone.
    assertThat(calls.contains("pool")).isIn(done, false);
    assertThat(calls.contains("poolGradient")).isEqualTo(done);
  }

  @Test
  void leavesNetworksOfAnotherTypeToDl4j() {
    ComputationGraph plain =
        pooling(PoolingType.MAX, 2, 2, 0, ConvolutionMode.Truncate)
            .convertDataType(DataType.DOUBLE);
    ComputationGraph same = plain.clone();
    List<String> calls = accelerate(same);
    INDArray images = Nd4j.randn(DataType.DOUBLE, BATCH, 3, HEIGHT, WIDTH);
    DataSet data = new DataSet(images, AccelerationTest.images(DataType.DOUBLE).getLabels());
    assertClose(same.outputSingle(images), plain.outputSingle(images), ROUNDING);
    assertClose(
        AccelerationTest.gradient(same, data), AccelerationTest.gradient(plain, data), ROUNDING);
    assertThat(calls).isEmpty();
  }

  private static ComputationGraph pooling(
      PoolingType type, int size, int stride, int pad, ConvolutionMode mode) {
    ComputationGraph net =
        new ComputationGraph(
            new NeuralNetConfiguration.Builder()
                .seed(5)
                .updater(new Sgd(0.1))
                .graphBuilder()
                .addInputs("in")
                .setInputTypes(InputType.convolutional(HEIGHT, WIDTH, 3))
                .addLayer("conv", conv(3, 1, 1, "Truncate").nOut(4).build(), "in")
                .addLayer(
                    "pool",
                    new SubsamplingLayer.Builder(type)
                        .kernelSize(size, size)
                        .stride(stride, stride)
                        .pnorm(2)
                        .padding(pad, pad)
                        .convolutionMode(mode)
                        .build(),
                    "conv")
                .addLayer("all", new GlobalPoolingLayer(PoolingType.AVG), "pool")
                .addLayer(
                    "out",
                    new OutputLayer.Builder().nOut(4).activation(Activation.SOFTMAX).build(),
                    "all")
                .setOutputs("out")
                .build());
    net.init();
    return net;
  }
}
