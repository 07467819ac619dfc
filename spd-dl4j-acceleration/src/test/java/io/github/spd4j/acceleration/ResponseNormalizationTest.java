/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.acceleration;

import static io.github.spd4j.acceleration.AccelerationTest.BATCH;
import static io.github.spd4j.acceleration.AccelerationTest.HEIGHT;
import static io.github.spd4j.acceleration.AccelerationTest.WIDTH;
import static io.github.spd4j.testing.Tolerances.FLOAT_ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static org.assertj.core.api.Assertions.assertThat;

import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.GlobalPoolingLayer;
import org.deeplearning4j.nn.conf.layers.LocalResponseNormalization;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.conf.layers.PoolingType;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.learning.config.Sgd;

/** Local response normalisation in one pass, against DL4J's own layer. */
class ResponseNormalizationTest {

  private static ComputationGraph net(
      CNN2DFormat format, double n, double alpha, double beta, double k) {
    LocalResponseNormalization normalization =
        new LocalResponseNormalization.Builder().n(n).alpha(alpha).beta(beta).k(k).build();
    normalization.setDataFormat(format);
    ComputationGraph net =
        new ComputationGraph(
            new NeuralNetConfiguration.Builder()
                .seed(5)
                .updater(new Sgd(0.1))
                .graphBuilder()
                .addInputs("in")
                .setInputTypes(InputType.convolutional(HEIGHT, WIDTH, 3))
                .addLayer("conv", AccelerationTest.conv(3, 1, 1, "Truncate").nOut(7).build(), "in")
                .addLayer("normal", normalization, "conv")
                .addLayer("all", new GlobalPoolingLayer(PoolingType.AVG), "normal")
                .addLayer(
                    "out",
                    new OutputLayer.Builder().nOut(4).activation(Activation.SOFTMAX).build(),
                    "all")
                .setOutputs("out")
                .build());
    net.init();
    return net;
  }

  private static boolean isAccelerated(ComputationGraph net) {
    return net.getLayer("normal").getHelper() instanceof ResponseNormalization;
  }

  @ParameterizedTest
  @CsvSource({"5, 0.00002, 0.75, 1", "5, 0.3, 0.75, 2", "3, 0.1, 0.5, 1", "4, 0.2, 1.1, 0.5"})
  void theOutputIsDl4js(double n, double alpha, double beta, double k) {
    ComputationGraph plain = net(CNN2DFormat.NCHW, n, alpha, beta, k);
    ComputationGraph fast = plain.clone();
    Acceleration.applyTo(fast, NativeLibrary.ARM_COMPUTE);
    assertThat(isAccelerated(fast)).isTrue();
    INDArray images = AccelerationTest.images(DataType.FLOAT).getFeatures();
    assertClose(fast.outputSingle(images), plain.outputSingle(images), FLOAT_ROUNDING);
    AccelerationTest.assertHelpersDidNotFail(fast.getLayers());
    assertThat(isAccelerated(fast.clone())).isTrue();
    assertThat(isAccelerated(plain)).isFalse();
  }

  /** With GoogLeNet's α; with a large one DL4J's gradient is not that of its output. */
  @Test
  void theGradientIsDl4jsWhereThatIsRight() {
    ComputationGraph plain = net(CNN2DFormat.NCHW, 5, 0.00002, 0.75, 1);
    ComputationGraph fast = plain.clone();
    Acceleration.applyTo(fast, NativeLibrary.ARM_COMPUTE);
    AccelerationTest.assertSame(fast, plain, FLOAT_ROUNDING);
  }

  @Test
  void aFileNeedsNothingOfIt() {
    ComputationGraph plain = net(CNN2DFormat.NCHW, 5, 0.1, 0.75, 1);
    String expected = plain.getConfiguration().toJson();
    Acceleration.applyTo(plain, NativeLibrary.ARM_COMPUTE);
    assertThat(plain.getConfiguration().toJson()).isEqualTo(expected);
    assertThat(ComputationGraphConfiguration.fromJson(expected))
        .isEqualTo(plain.getConfiguration());
  }

  @Test
  void otherTypesAreDl4js() {
    ComputationGraph precise =
        net(CNN2DFormat.NCHW, 5, 0.1, 0.75, 1).convertDataType(DataType.DOUBLE);
    Acceleration.applyTo(precise, NativeLibrary.ARM_COMPUTE);
    assertThat(isAccelerated(precise)).isFalse();
    assertThat(precise.outputSingle(AccelerationTest.images(DataType.DOUBLE).getFeatures()).size(0))
        .isEqualTo(BATCH);
  }
}
