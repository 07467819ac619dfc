/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.linalg;

import static io.github.spd4j.testing.Tolerances.DERIVATIVE;
import static io.github.spd4j.testing.Tolerances.ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static io.github.spd4j.testing.Tolerances.assertSmall;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

class CholeskyTest {

  private static INDArray definite(DataType type, int n) {
    Nd4j.getRandom().setSeed(n);
    INDArray a = Nd4j.randn(DataType.DOUBLE, 3, n, n);
    INDArray identity = Nd4j.eye(n).castTo(DataType.DOUBLE).reshape(1, n, n);
    return Matrices.transposeSecond(a, a).add(identity).castTo(type);
  }

  @ParameterizedTest
  @CsvSource({"FLOAT, 1", "FLOAT, 7", "DOUBLE, 2", "DOUBLE, 50"})
  void factorsAndTheirInverses(DataType type, int n) {
    INDArray matrices = definite(type, n);
    INDArray before = matrices.dup();
    INDArray factors = Cholesky.of(matrices);
    assertThat(factors.dataType()).isEqualTo(DataType.DOUBLE);
    assertThat(factors).isEqualTo(Cholesky.lower(factors));
    assertClose(
        Matrices.transposeSecond(factors, factors), matrices.castTo(DataType.DOUBLE), ROUNDING);
    INDArray identity = Matrices.product(factors, Cholesky.inverse(factors));
    assertClose(
        identity,
        Nd4j.eye(n).castTo(DataType.DOUBLE).reshape(1, n, n).broadcast(3, n, n),
        ROUNDING);
    assertClose(Cholesky.withExpDiagonals(Cholesky.withLogDiagonals(factors)), factors, ROUNDING);
    assertThat(matrices).isEqualTo(before);
  }

  @Test
  void backwardIsTheDerivative() {
    INDArray matrices = definite(DataType.DOUBLE, 4);
    INDArray gradient = Nd4j.randn(DataType.DOUBLE, 3, 4, 4);
    INDArray direction = Matrices.symmetricPart(Nd4j.randn(DataType.DOUBLE, 3, 4, 4));
    double step = 1e-5;
    double after =
        Cholesky.of(matrices.add(direction.mul(step))).mul(gradient).sumNumber().doubleValue();
    double before =
        Cholesky.of(matrices.sub(direction.mul(step))).mul(gradient).sumNumber().doubleValue();
    INDArray backward = Cholesky.backward(Cholesky.of(matrices), gradient);
    double slope = backward.mul(direction).sumNumber().doubleValue();
    assertSmall((after - before) / (2 * step) / slope - 1, DERIVATIVE);
  }

  @Test
  void refusesWhatHasNoFactor() {
    INDArray matrices = definite(DataType.DOUBLE, 3);
    INDArray indefinite = matrices.dup();
    indefinite.putScalar(new int[] {1, 2, 2}, -1);
    assertThatThrownBy(() -> Cholesky.of(indefinite))
        .isInstanceOf(ArithmeticException.class)
        .hasMessageContaining("matrix 1 of 3");
    INDArray infinite = matrices.dup().putScalar(new int[] {0, 0, 0}, Double.POSITIVE_INFINITY);
    assertThatThrownBy(() -> Cholesky.of(infinite)).isInstanceOf(NotFiniteException.class);
    INDArray flat = Cholesky.of(matrices).putScalar(new int[] {2, 1, 1}, 0);
    assertThatThrownBy(() -> Cholesky.inverse(flat))
        .isInstanceOf(ArithmeticException.class)
        .hasMessageContaining("matrix 2 of 3");
  }
}
