/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.orthonormal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.linalg.NumericPolicy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** Which steps are taken: more than these would be slow, fewer wrong. */
class PolarIterationTest {

  /** An iteration that is told its errors, and writes down its steps. */
  private static final class Told extends PolarIteration {
    private final INDArray x = Nd4j.create(DataType.DOUBLE, 3, 2);
    private final double[] errors;
    private final List<String> steps = new ArrayList<>();
    private int asked;

    Told(double... errors) {
      super(1e-6);
      this.errors = errors;
    }

    @Override
    INDArray x() {
      return x;
    }

    /** The last error stays. */
    @Override
    double computeExcess() {
      return errors[Math.min(asked++, errors.length - 1)];
    }

    @Override
    void shrink() {
      steps.add("shrink");
    }

    @Override
    void linearStep() {
      steps.add("linear");
    }

    @Override
    void quadraticStep() {
      steps.add("quadratic");
    }
  }

  private static List<String> steps(double... errors) {
    Told iteration = new Told(errors);
    assertThat(iteration.polarFactor()).isSameAs(iteration.x);
    assertThat(iteration.asked).isEqualTo(errors.length);
    return iteration.steps;
  }

  @Test
  void aLinearStepIsEnoughWhereTheSquareOfTheErrorIsNegligible() {
    assertThat(steps(0.9e-3)).containsExactly("linear");
    assertThat(steps(0)).containsExactly("linear");
  }

  @Test
  void aQuadraticStepIsEnoughWhereTheCubeOfTheErrorIsNegligible() {
    assertThat(steps(1.1e-3)).containsExactly("quadratic");
    assertThat(steps(0.9e-2)).containsExactly("quadratic");
    assertThat(steps(1.1e-2, 1e-5)).containsExactly("quadratic", "linear");
    assertThat(steps(0.9, 0.3, 5e-3)).containsExactly("quadratic", "quadratic", "quadratic");
  }

  /** The series is good for errors below 1. */
  @Test
  void anErrorOfOneIsTooLargeForTheSeries() {
    assertThat(steps(1, 1e-3)).startsWith("shrink");
    assertThat(steps(30, 0.5, 5e-3)).containsExactly("shrink", "quadratic", "quadratic");
    assertThat(steps(0.999, 1e-5)).doesNotContain("shrink");
  }

  @Test
  void anErrorThatStaysEndsIt() {
    Told iteration = new Told(0.5);
    assertThatThrownBy(iteration::polarFactor)
        .isInstanceOf(ArithmeticException.class)
        .hasMessageContaining("got one of shape [3, 2] that has no polar factor")
        .hasMessageContaining("= 0.5 after " + NumericPolicy.POLAR_MAX_STEPS + " steps");
    assertThat(iteration.steps).hasSize(NumericPolicy.POLAR_MAX_STEPS);
  }

  @Test
  void anErrorThatIsNotFiniteEndsItAtOnce() {
    Told iteration = new Told(0.5, Double.NaN);
    assertThatThrownBy(iteration::polarFactor).hasMessageContaining("after 1 steps");
  }
}
