/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.acceleration;

import static io.github.spd4j.testing.Tolerances.FLOAT_ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration.GraphBuilder;
import org.deeplearning4j.nn.conf.ConvolutionMode;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.GlobalPoolingLayer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.conf.layers.PoolingType;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.Sgd;

/** An accelerated network against the same network as DL4J runs it. */
class AccelerationTest {

  private static final int BATCH = 3;
  private static final int CLASSES = 4;
  private static final int HEIGHT = 11;
  private static final int WIDTH = 9;

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

  static INDArray gradient(ComputationGraph net, DataSet data) {
    net.setInputs(data.getFeatures());
    net.setLabels(data.getLabels());
    net.computeGradientAndScore();
    return net.gradient().gradient().dup();
  }

  @ParameterizedTest
  @CsvSource({
    "1, 1, 0, Truncate",
    "3, 1, 0, Truncate",
    "3, 1, 1, Truncate",
    "3, 1, 2, Truncate",
    "3, 1, 0, Same",
    "5, 1, 2, Strict",
    "5, 1, 0, Same",
    "4, 1, 0, Same",
    "3, 2, 1, Truncate",
    "7, 1, 3, Truncate",
    "1, 2, 0, Truncate",
  })
  void givesTheSameOutputAndGradient(int size, int stride, int pad, String mode) {
    ComputationGraph plain =
        net(DataType.FLOAT, conv(3, 1, 1, "Truncate"), conv(size, stride, pad, mode));
    ComputationGraph fast = plain.clone();
    Acceleration acceleration = Acceleration.applyTo(fast);
    DataSet data = images(DataType.FLOAT);
    assertThat(acceleration.convolutions()).isEqualTo(2);
    assertClose(
        fast.outputSingle(data.getFeatures()),
        plain.outputSingle(data.getFeatures()),
        FLOAT_ROUNDING);
    assertClose(gradient(fast, data), gradient(plain, data), FLOAT_ROUNDING);
  }

  @Test
  void withoutBias() {
    ComputationGraph plain =
        net(
            DataType.FLOAT,
            conv(3, 1, 1, "Truncate").hasBias(false),
            conv(5, 1, 2, "Truncate").hasBias(false));
    ComputationGraph fast = plain.clone();
    Acceleration.applyTo(fast);
    DataSet data = images(DataType.FLOAT);
    assertClose(gradient(fast, data), gradient(plain, data), FLOAT_ROUNDING);
  }

  @Test
  void trainsTheSame() {
    ComputationGraph plain =
        net(DataType.FLOAT, conv(3, 1, 1, "Truncate"), conv(3, 1, 0, "Truncate"));
    ComputationGraph fast = plain.clone();
    Acceleration.applyTo(fast);
    DataSet data = images(DataType.FLOAT);
    for (int step = 0; step < 5; step++) {
      plain.fit(data);
      fast.fit(data);
    }
    assertClose(fast.params(), plain.params(), FLOAT_ROUNDING);
  }

  @Test
  void leavesInputsAndParametersAlone() {
    ComputationGraph net =
        net(DataType.FLOAT, conv(3, 1, 1, "Truncate"), conv(3, 1, 0, "Truncate"));
    INDArray parameters = net.params().dup();
    DataSet data = images(DataType.FLOAT);
    INDArray images = data.getFeatures().dup();
    Acceleration.applyTo(net);
    gradient(net, data);
    assertThat(net.params()).isEqualTo(parameters);
    assertThat(data.getFeatures()).isEqualTo(images);
  }

  @Test
  void takesImagesInAnyMemoryLayout() {
    ComputationGraph plain = net(DataType.FLOAT, conv(3, 1, 1, "Truncate"));
    ComputationGraph fast = plain.clone();
    Acceleration.applyTo(fast);
    INDArray images = images(DataType.FLOAT).getFeatures();
    INDArray permuted = images.permute(1, 0, 3, 2).dup('c').permute(1, 0, 3, 2);
    for (INDArray layout : List.of(images.dup('f'), permuted)) {
      assertClose(fast.outputSingle(layout), plain.outputSingle(images), FLOAT_ROUNDING);
    }
  }

  @Test
  void leavesDoublePrecisionAsItIs() {
    ComputationGraph net = net(DataType.DOUBLE, conv(3, 1, 1, "Truncate"));
    assertThat(Acceleration.applyTo(net).accelerated()).isZero();
    assertThat(net.getLayer("conv0").getHelper()).isNull();
  }

  @Test
  void isCarriedOverOnlyFromAnAcceleratedNetwork() {
    ComputationGraph plain = net(DataType.FLOAT, conv(3, 1, 1, "Truncate"));
    ComputationGraph fast = plain.clone();
    int accelerated = Acceleration.applyTo(fast).accelerated();
    ComputationGraph copy = plain.clone();
    Acceleration.carryOver(plain, copy);
    assertThat(copy.getLayer("conv0").getHelper()).isNull();
    Acceleration.carryOver(fast, copy);
    assertThat(copy.getLayer("conv0").getHelper() != null).isEqualTo(accelerated > 0);
  }

  @Test
  void saysWhatItDid() {
    ComputationGraph net = net(DataType.FLOAT, conv(3, 1, 1, "Truncate"), conv(1, 1, 0, "Same"));
    Acceleration acceleration = Acceleration.applyTo(net);
    assertThat(acceleration).asString().endsWith(acceleration.accelerated() + " of 2 convolutions");
  }
}
