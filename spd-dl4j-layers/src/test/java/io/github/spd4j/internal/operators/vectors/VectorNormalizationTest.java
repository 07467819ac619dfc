/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.vectors;

import static io.github.spd4j.testing.Tolerances.DERIVATIVE;
import static io.github.spd4j.testing.Tolerances.ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.internal.backend.Algebra;
import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.testing.FiniteDifferences;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

class VectorNormalizationTest {

  private static final Algebra ALGEBRA = Backend.current().algebra();

  private static final String OUTPUT = "output";

  static Stream<VectorNormalization> options() {
    return Stream.of(
        new VectorNormalization(true, 0.01, true, 1),
        new VectorNormalization(true, 0.3, true, 10),
        new VectorNormalization(true, 0.1, false, 0.5),
        new VectorNormalization(false, 0.1, true, 2),
        new VectorNormalization(false, 0.1, false, 1),
        new VectorNormalization(false, 0.1, false, 3));
  }

  private static INDArray vectors() {
    Nd4j.getRandom().setSeed(7);
    return Nd4j.randn(DataType.DOUBLE, 3, 5);
  }

  private static Map<String, INDArray> run(VectorNormalization normalization, INDArray vectors) {
    SameDiff sd = SameDiff.create();
    SDVariable input = sd.placeHolder("in", vectors.dataType(), -1, vectors.size(1));
    normalization.define(sd, sd.identity(input), vectors.size(1)).rename(OUTPUT);
    List<String> names = new ArrayList<>(normalization.saved());
    names.add(OUTPUT);
    return sd.output(Map.of("in", vectors), names);
  }

  private static double[] byDefinition(VectorNormalization n, double[] v) {
    double[] u = v.clone();
    double squares = 0;
    for (int i = 0; i < v.length; i++) {
      double floor = n.getPowerFloor();
      if (n.isPowerNormalization()) {
        u[i] = Math.signum(v[i]) * (Math.sqrt(Math.abs(v[i]) + floor * floor) - floor);
      }
      squares += u[i] * u[i];
    }
    for (int i = 0; i < v.length; i++) {
      u[i] *= n.getScale() / (n.isL2Normalization() ? Math.sqrt(squares) : 1);
    }
    return u;
  }

  @ParameterizedTest
  @MethodSource("options")
  void isItsDefinition(VectorNormalization normalization) {
    INDArray vectors = vectors();
    INDArray actual = run(normalization, vectors).get(OUTPUT);
    for (int i = 0; i < vectors.rows(); i++) {
      double[] expected = byDefinition(normalization, vectors.getRow(i).toDoubleVector());
      assertClose(actual.getRow(i), Nd4j.createFromArray(expected), ROUNDING);
    }
  }

  @ParameterizedTest
  @MethodSource("options")
  void backwardIsTheDerivativeAndChangesNothing(VectorNormalization normalization) {
    INDArray vectors = vectors();
    INDArray gradient = Nd4j.randn(DataType.DOUBLE, vectors.shape());
    INDArray gradientBefore = gradient.dup();
    Map<String, INDArray> saved = run(normalization, vectors);
    INDArray actual = normalization.backward(ALGEBRA, saved, gradient);
    INDArray expected =
        FiniteDifferences.gradient(
            x -> run(normalization, x).get(OUTPUT).mul(gradient).sumNumber().doubleValue(),
            vectors);
    assertClose(actual, expected, DERIVATIVE);
    assertThat(gradient).isEqualTo(gradientBefore);
    run(normalization, vectors)
        .forEach((name, value) -> assertThat(saved.get(name)).isEqualTo(value));
  }

  /** A vector of zeros has no direction: neither it nor its gradient may become NaN. */
  @ParameterizedTest
  @MethodSource("options")
  void zeroStaysZero(VectorNormalization normalization) {
    INDArray zero = Nd4j.zeros(DataType.DOUBLE, 2, 4);
    Map<String, INDArray> values = run(normalization, zero);
    assertThat(values.get(OUTPUT)).isEqualTo(zero);
    INDArray gradient = normalization.backward(ALGEBRA, values, Nd4j.ones(DataType.DOUBLE, 2, 4));
    assertThat(Double.isFinite(gradient.norm2Number().doubleValue())).isTrue();
    if (normalization.isL2Normalization()) {
      assertThat(gradient.norm2Number().doubleValue()).isZero();
    }
  }

  @Test
  void aVectorOfOneEntryBecomesItsSign() {
    INDArray vectors = Nd4j.createFromArray(new double[][] {{4}, {-9}});
    INDArray expected = Nd4j.createFromArray(new double[][] {{10}, {-10}});
    INDArray actual = run(new VectorNormalization(true, 0.1, true, 10), vectors).get(OUTPUT);
    assertClose(actual, expected, ROUNDING);
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, -1, Double.NaN, Double.POSITIVE_INFINITY})
  void refusesWhatIsNotPositive(double value) {
    assertThatThrownBy(() -> new VectorNormalization(true, value, true, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("expected a finite powerFloor greater than 0, got powerFloor = " + value);
    assertThatThrownBy(() -> new VectorNormalization(true, 0.1, true, value))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("expected a finite scale greater than 0, got scale = " + value);
  }
}
