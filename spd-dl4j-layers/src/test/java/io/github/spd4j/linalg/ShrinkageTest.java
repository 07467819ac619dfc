/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.linalg;

import static io.github.spd4j.testing.Tolerances.DERIVATIVE;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static io.github.spd4j.testing.Tolerances.assertSmall;
import static io.github.spd4j.testing.Tolerances.rounding;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

class ShrinkageTest {

  private static final double ALPHA = 0.3;

  /** Two matrices, with traces of 6 and 3. */
  private static INDArray matrices(DataType type) {
    return Nd4j.createFromArray(new double[][][] {{{2, 1}, {1, 4}}, {{2, -1}, {-1, 1}}})
        .castTo(type);
  }

  @ParameterizedTest
  @EnumSource(names = {"FLOAT", "DOUBLE"})
  void movesEigenvaluesTowardsTheirMean(DataType type) {
    INDArray expected =
        Nd4j.createFromArray(
            new double[][][] {{{2.3, 0.7}, {0.7, 3.7}}, {{1.85, -0.7}, {-0.7, 1.15}}});
    INDArray shrunk = Shrinkage.shrunk(matrices(type), ALPHA);
    assertThat(shrunk.dataType()).isEqualTo(type);
    assertClose(shrunk, expected, rounding(type));
    assertClose(Shrinkage.shrunk(matrices(type), 0), matrices(type), rounding(type));
  }

  @ParameterizedTest
  @EnumSource(names = {"FLOAT", "DOUBLE"})
  void bringsTheTraceToThatOfTheIdentity(DataType type) {
    INDArray expected = matrices(DataType.DOUBLE);
    expected.slice(0).muli(2.0 / 6);
    expected.slice(1).muli(2.0 / 3);
    INDArray normalized = Shrinkage.normalized(matrices(type));
    assertThat(normalized.dataType()).isEqualTo(type);
    assertClose(normalized, expected, rounding(type));
  }

  @Test
  void gradientsAreDerivatives() {
    INDArray x = matrices(DataType.DOUBLE);
    INDArray gradient =
        Nd4j.createFromArray(new double[][][] {{{1, 3}, {-2, 5}}, {{4, 0}, {7, 1}}});
    INDArray direction =
        Nd4j.createFromArray(new double[][][] {{{2, 1}, {0, 3}}, {{1, 5}, {2, 2}}});
    assertDerivative(
        y -> Shrinkage.shrunk(y, ALPHA),
        x,
        gradient,
        direction,
        Shrinkage.byMatrices(gradient, ALPHA));
    assertDerivative(
        Shrinkage::normalized, x, gradient, direction, Shrinkage.byUnnormalized(x, gradient));
    double step = 1e-5;
    INDArray difference = Shrinkage.shrunk(x, ALPHA + step).sub(Shrinkage.shrunk(x, ALPHA - step));
    double slope = difference.mul(gradient).sumNumber().doubleValue() / (2 * step);
    assertSmall(slope / Shrinkage.byAlpha(x, gradient) - 1, DERIVATIVE);
  }

  private static void assertDerivative(
      UnaryOperator<INDArray> f,
      INDArray x,
      INDArray gradient,
      INDArray direction,
      INDArray actual) {
    double step = 1e-5;
    INDArray difference =
        f.apply(x.add(direction.mul(step))).sub(f.apply(x.sub(direction.mul(step))));
    double slope = difference.mul(gradient).sumNumber().doubleValue() / (2 * step);
    assertSmall(slope / actual.mul(direction).sumNumber().doubleValue() - 1, DERIVATIVE);
  }

  @Test
  void aNegativeTraceIsRefused() {
    INDArray negative = matrices(DataType.FLOAT).neg();
    assertThatThrownBy(() -> Shrinkage.normalized(negative))
        .isInstanceOf(ArithmeticException.class)
        .hasMessageContaining("a trace of -6");
  }
}
