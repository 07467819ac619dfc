/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.root;

import static io.github.spd4j.testing.Tolerances.ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static io.github.spd4j.testing.Tolerances.assertSmall;
import static io.github.spd4j.testing.Tolerances.rounding;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.internal.backend.ForwardPass;
import io.github.spd4j.linalg.Matrices;
import io.github.spd4j.linalg.NotFiniteException;
import io.github.spd4j.linalg.NumericPolicy;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** Beside the reference: what converges, and what has no root. */
class RootTest {

  /**
   * The roots of matrices and the gradient by them for a given gradient. The roots are those of the
   * definition in SameDiff too.
   */
  private static INDArray[] rootAndGradient(int iterations, INDArray matrices, INDArray gradient) {
    DataType type = matrices.dataType();
    INDArray roots = Nd4j.create(type, matrices.shape());
    INDArray byMatrices = Nd4j.create(type, matrices.shape());
    ForwardPass saved = new ForwardPass();
    saved.begin(matrices, Map.of(), true);
    Root root = Root.on(Backend.current(), type, iterations);
    root.forward(matrices, roots, saved);
    root.backward(gradient, byMatrices, saved);
    assertClose(roots, defined(iterations, matrices), rounding(type));
    return new INDArray[] {roots, byMatrices};
  }

  private static INDArray defined(int iterations, INDArray matrices) {
    SameDiff sd = SameDiff.create();
    long n = matrices.size(1);
    SDVariable input = sd.placeHolder("matrices", matrices.dataType(), -1, n, n);
    String output = RootGraph.define(sd, input, n, iterations).name();
    return sd.output(Map.of("matrices", matrices), output).get(output);
  }

  private static INDArray definite(int batch, int n) {
    Nd4j.getRandom().setSeed(n);
    INDArray factors = Nd4j.randn(DataType.DOUBLE, batch, n, 3L * n);
    return Matrices.transposeSecond(factors, factors);
  }

  @Test
  void manyIterationsGiveTheRoot() {
    INDArray a = definite(3, 6);
    INDArray before = a.dup();
    INDArray root = rootAndGradient(20, a, a)[0];
    assertClose(Matrices.product(root, root), a, ROUNDING);
    assertThat(a).isEqualTo(before);
  }

  /** √(t² A) = t √A, whatever the number of iterations. */
  @Test
  void rootsScaleWithTheMatrix() {
    INDArray a = definite(2, 5);
    for (double t : new double[] {1e-5, 1e5}) {
      INDArray scaled = rootAndGradient(5, a.mul(t * t), a)[0];
      assertClose(scaled.div(t), rootAndGradient(5, a, a)[0], ROUNDING);
    }
  }

  /** The root is homogeneous of degree ½, and Euler's theorem says what follows. */
  @Test
  void theGradientAlongTheMatrixIsHalfOfThatAlongTheRoot() {
    INDArray a = definite(1, 5);
    INDArray gradient = Nd4j.randn(DataType.DOUBLE, 1, 5, 5);
    INDArray[] result = rootAndGradient(3, a, gradient);
    double alongMatrix = result[1].mul(a).sumNumber().doubleValue();
    double alongRoot = gradient.mul(result[0]).sumNumber().doubleValue();
    assertSmall(alongMatrix - alongRoot / 2, ROUNDING);
  }

  @ParameterizedTest
  @EnumSource(
      value = DataType.class,
      names = {"FLOAT", "DOUBLE"})
  void withoutAPositiveTraceRootAndGradientAreZero(DataType type) {
    INDArray a = definite(4, 3).castTo(type);
    INDArray gradient = Nd4j.ones(type, 4, 3, 3);
    INDArray[] expected = rootAndGradient(5, a, gradient);
    a.slice(0).assign(0);
    a.slice(2).muli(1e-26); // below the floor of the trace
    INDArray[] actual = rootAndGradient(5, a, gradient);
    for (int k = 0; k < 2; k++) {
      assertThat(actual[k].slice(0)).isEqualTo(Nd4j.zeros(type, 3, 3));
      assertThat(actual[k].slice(2)).isEqualTo(Nd4j.zeros(type, 3, 3));
      assertClose(actual[k].slice(1), expected[k].slice(1), rounding(type));
      assertClose(actual[k].slice(3), expected[k].slice(3), rounding(type));
    }
  }

  /** −1: what a careless 1/(1+t) meets; and a trace of 0 that is not that of zeros. */
  @ParameterizedTest
  @EnumSource(
      value = DataType.class,
      names = {"FLOAT", "DOUBLE"})
  void aTraceThatIsNegativeOrHidesNegativeEigenvaluesIsRefused(DataType type) {
    INDArray a = definite(4, 3).castTo(type);
    for (double[] diagonal : new double[][] {{-1, -1, -1}, {3, -3, 0}}) {
      a.slice(2).assign(Nd4j.diag(Nd4j.createFromArray(diagonal)).castTo(type).divi(3));
      assertThatThrownBy(() -> rootAndGradient(5, a, a))
          .isInstanceOf(ArithmeticException.class)
          .hasMessageContaining("expected a positive semidefinite matrix")
          .hasMessageContaining("example 2 of the batch");
    }
  }

  /** What is not above the floor counts as zero, and rounding may be as large as that again. */
  @Test
  void aTraceAtItsFloorCountsAsZero() {
    double floor = NumericPolicy.TRACE_FLOOR;
    INDArray a = Nd4j.createFromArray(new double[][][] {{{floor, 2 * floor}, {2 * floor, 0}}});
    INDArray[] results = rootAndGradient(5, a, Nd4j.ones(DataType.DOUBLE, 1, 2, 2));
    for (INDArray result : results) {
      assertThat(result.norm2Number().doubleValue()).isZero();
    }
    a.putScalar(1, 3 * floor);
    assertThatThrownBy(() -> rootAndGradient(5, a, a))
        .isInstanceOf(ArithmeticException.class)
        .hasMessageContaining("expected a positive semidefinite matrix");
  }

  @ParameterizedTest
  @EnumSource(
      value = DataType.class,
      names = {"FLOAT", "DOUBLE"})
  void whatIsNotFiniteIsRefused(DataType type) {
    for (double bad : new double[] {Double.NaN, Double.POSITIVE_INFINITY}) {
      for (int column : new int[] {0, 2}) {
        INDArray a = definite(3, 3).castTo(type);
        a.putScalar(new int[] {1, 0, column}, bad);
        assertThatThrownBy(() -> rootAndGradient(5, a, a))
            .isInstanceOf(NotFiniteException.class)
            .hasMessageContaining("NaN or infinity in the matrix of example 1 of the batch");
      }
    }
  }

  /** Without it results would be right as well, but slow. */
  @Test
  void floatOnTheHostTakesTheFusedPass() {
    assumeTrue(Backend.current().isFused(DataType.FLOAT));
    assertThat(Root.on(Backend.current(), DataType.FLOAT, 5)).isInstanceOf(RootHost.class);
  }

  @Test
  void wantsAnIteration() {
    assertThatThrownBy(() -> Root.on(Backend.current(), DataType.FLOAT, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("expected at least 1 iteration, got iterations = 0");
  }
}
