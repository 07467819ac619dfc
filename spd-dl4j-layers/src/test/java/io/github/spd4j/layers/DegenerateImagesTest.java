/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import static io.github.spd4j.testing.Tolerances.FLOAT_ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static io.github.spd4j.testing.Tolerances.assertSmall;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.layers.LayerCase.Check;
import io.github.spd4j.layers.LayerCase.Head;
import io.github.spd4j.linalg.Matrices;
import io.github.spd4j.linalg.NotFiniteException;
import io.github.spd4j.testing.DegenerateImages;
import io.github.spd4j.testing.Networks;
import java.util.List;
import java.util.stream.Stream;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.Adam;
import org.nd4j.linalg.learning.config.NoOp;

/**
 * Every layer in FLOAT on {@link DegenerateImages}, and the exponential of matrices that have
 * nothing to tell.
 */
class DegenerateImagesTest {

  static Stream<Head> heads() {
    return LayerCases.heads(Check.DEGENERATE);
  }

  @Tag("once")
  @ParameterizedTest
  @MethodSource("heads")
  void nothingBecomesNan(Head head) {
    DegenerateImages.train(
        Networks.convolutional(
            Networks.general(DataType.FLOAT, new Adam(0.01)),
            head.layers(),
            InputType.convolutional(8, 8, 3)),
        1,
        4,
        3,
        8,
        8);
  }

  private static MultiLayerNetwork exponential() {
    MultiLayerNetwork net =
        new MultiLayerNetwork(
            Networks.general(DataType.FLOAT, new NoOp())
                .list()
                .layer(new ExpEigLayer.Builder().build())
                .setInputType(InputType.convolutional(3, 3, 1))
                .build());
    net.init();
    return net;
  }

  /** [1, 1, 3, 3], a I + b 1 1ᵀ: at least two of the eigenvalues are equal. */
  private static INDArray matrix(double a, double b) {
    return Nd4j.eye(3).castTo(DataType.FLOAT).muli(a).addi(b).reshape(1, 1, 3, 3);
  }

  /** Zero, constant, repeated eigenvalues, and exponentials that are zero in FLOAT. */
  @ParameterizedTest
  @CsvSource({"0, 0", "0, 0.7", "2, 0", "2, -0.5", "-1e4, 0", "3, -4e3"})
  void exponentialsOfDegenerateMatrices(double a, double b) {
    MultiLayerNetwork net = exponential();
    net.setInput(matrix(a, b));
    INDArray output = net.feedForward(true, false).get(1);
    double twice = Math.exp(a);
    double once = Math.exp(a + 3 * b);
    assertClose(output, matrix(twice, (once - twice) / 3), FLOAT_ROUNDING);
    INDArray gradient = Nd4j.linspace(DataType.FLOAT, -1, 0.3, 9).reshape(1, 1, 3, 3);
    INDArray back = net.backpropGradient(gradient, null).getSecond();
    assertThat(Matrices.isFinite(back)).isTrue();
    // Along I and 1 1ᵀ, which commute with the matrix, the derivative is a number for each space.
    double alongOnes = once * gradient.sumNumber().doubleValue();
    double alongIdentity =
        gradient.mul(matrix(twice, (once - twice) / 3)).sumNumber().doubleValue();
    double size = Math.max(twice, once) * gradient.norm2Number().doubleValue();
    assertSmall(back.sumNumber().doubleValue() - alongOnes, 3 * FLOAT_ROUNDING * size);
    double trace = back.mul(matrix(1, 0)).sumNumber().doubleValue();
    assertSmall(trace - alongIdentity, 3 * FLOAT_ROUNDING * size);
  }

  /** e^88 is a FLOAT, e^89 is not. */
  @Test
  void exponentialsThatAreTooLargeAreRefused() {
    MultiLayerNetwork net = exponential();
    assertClose(
        net.output(matrix(88, 0)).div(1e38), matrix(Math.exp(88) / 1e38, 0), FLOAT_ROUNDING);
    for (INDArray large : List.of(matrix(89, 0), matrix(0, 30), matrix(1e30, 0))) {
      INDArray batch = Nd4j.concat(0, matrix(1, 0), large);
      assertThatThrownBy(() -> net.output(batch))
          .isInstanceOf(NotFiniteException.class)
          .hasMessageContaining("ExpEigLayer")
          .hasMessageContaining("too large");
    }
  }
}
