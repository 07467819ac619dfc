/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.acceleration;

import static io.github.spd4j.testing.Tolerances.ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.testing.LoopAlgebra;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;

/** Convolutions as products by tap, against DL4J's own. */
class GemmConvolutionTest {

  private static ConvolutionLayer.Builder conv(int size, int stride, int pad, String mode) {
    return AccelerationTest.conv(size, stride, pad, mode);
  }

  private static LoopAlgebra accelerate(ComputationGraph net) {
    LoopAlgebra gemm = new LoopAlgebra();
    for (org.deeplearning4j.nn.api.Layer layer : net.getLayers()) {
      if (layer instanceof org.deeplearning4j.nn.layers.convolution.ConvolutionLayer) {
        Acceleration.install(
            new GemmConvolution(gemm),
            (org.deeplearning4j.nn.layers.convolution.ConvolutionLayer) layer);
      }
    }
    return gemm;
  }

  @ParameterizedTest
  @CsvSource({
    "1, 1, 0, Truncate, 1",
    "3, 1, 1, Truncate, 9",
    "3, 1, 0, Same, 9",
    "5, 1, 2, Strict, 25",
    "7, 1, 3, Truncate, 49",
    "21, 1, 10, Truncate, 357", // taps outside of the image are left out
    "3, 1, 0, Truncate, 0",
    "3, 1, 2, Truncate, 0",
    "4, 1, 0, Same, 0",
    "3, 2, 1, Truncate, 0",
  })
  void givesTheSameOutputAndGradient(int size, int stride, int pad, String mode, int taps) {
    ComputationGraph plain =
        AccelerationTest.net(DataType.DOUBLE, conv(1, 1, 0, "Same"), conv(size, stride, pad, mode));
    plain.params().addi(0.01); // biases begin at zero
    ComputationGraph fast = plain.clone();
    LoopAlgebra gemm = accelerate(fast);
    DataSet data = AccelerationTest.images(DataType.DOUBLE);
    assertClose(
        fast.outputSingle(data.getFeatures()), plain.outputSingle(data.getFeatures()), ROUNDING);
    int forward = forward(1) + forward(taps); // the convolution before it has one tap
    assertThat(gemm.calls).isEqualTo(forward);
    assertClose(
        AccelerationTest.gradient(fast, data), AccelerationTest.gradient(plain, data), ROUNDING);
    // After tanh DL4J runs a convolution forward once more before it goes back.
    assertThat(gemm.calls).isEqualTo(3 * forward + backward(1) + backward(taps));
  }

  /** A product for each tap and one for the bias; DL4J takes what has none. */
  private static int forward(int taps) {
    return taps == 0 ? 0 : taps + 1;
  }

  /** Images, weights and their sums by tap; and the bias. */
  private static int backward(int taps) {
    return taps == 0 ? 0 : 3 * taps + 2;
  }

  @ParameterizedTest
  @CsvSource({"RELU, 2", "IDENTITY, 2", "TANH, 3", "LEAKYRELU, 3"})
  void isNotDoneAgainWhereTheDerivativeFollowsFromTheValue(String function, int times) {
    ComputationGraph plain = twoLayers(Activation.valueOf(function));
    ComputationGraph fast = plain.clone();
    LoopAlgebra gemm = accelerate(fast);
    DataSet data = AccelerationTest.images(DataType.DOUBLE);
    for (int step = 0; step < 2; step++) {
      gemm.calls = 0;
      fast.outputSingle(data.getFeatures());
      assertClose(
          AccelerationTest.gradient(fast, data), AccelerationTest.gradient(plain, data), ROUNDING);
      assertThat(gemm.calls).isEqualTo(times * 2 * forward(9) + 2 * backward(9));
      plain.params().subi(0.02);
      fast.params().subi(0.02);
    }
  }

  /** A forward pass for training need not be followed by a backward pass. */
  @Test
  void forwardPassesForTrainingSeeChangedWeights() {
    ComputationGraph plain = twoLayers(Activation.RELU);
    ComputationGraph fast = plain.clone();
    accelerate(fast);
    DataSet data = AccelerationTest.images(DataType.DOUBLE);
    for (int step = 0; step < 3; step++) {
      assertClose(
          fast.output(true, data.getFeatures())[0],
          plain.output(true, data.getFeatures())[0],
          ROUNDING);
      plain.params().muli(0.7);
      fast.params().muli(0.7);
    }
    assertClose(
        AccelerationTest.gradient(fast, data), AccelerationTest.gradient(plain, data), ROUNDING);
  }

  private static ComputationGraph twoLayers(Activation function) {
    return AccelerationTest.net(
        DataType.DOUBLE, function, conv(3, 1, 1, "Truncate"), conv(3, 1, 1, "Truncate"));
  }

  @Test
  void leavesInputsAndParametersAlone() {
    ComputationGraph net = AccelerationTest.net(DataType.DOUBLE, conv(3, 1, 1, "Truncate"));
    accelerate(net);
    INDArray parameters = net.params().dup();
    DataSet data = AccelerationTest.images(DataType.DOUBLE);
    INDArray images = data.getFeatures().dup();
    AccelerationTest.gradient(net, data);
    assertThat(net.params()).isEqualTo(parameters);
    assertThat(data.getFeatures()).isEqualTo(images);
  }
}
