/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.linalg;

import static io.github.spd4j.testing.Tolerances.ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static io.github.spd4j.testing.Tolerances.assertSmall;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.spd4j.internal.backend.host.HostDoubles;
import io.github.spd4j.testing.Ejml;
import java.util.Arrays;
import org.ejml.simple.SimpleMatrix;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

class TridiagonalTest {

  private static final double SHIFT = 0.3;

  /** {@code XXᵀ} of X [n, rank]. */
  private static INDArray semidefinite(int n, int rank) {
    INDArray examples = Nd4j.rand(DataType.DOUBLE, n, rank).subi(0.5);
    return Matrices.transposeSecond(examples, examples).dup('f');
  }

  /** In the matrix's own memory, as on the CPU, and in a copy, as with a GPU. */
  @ParameterizedTest
  @CsvSource({
    "1, 1, true",
    "1, 1, false",
    "2, 2, true",
    "7, 7, true",
    "7, 3, true",
    "7, 3, false",
    "300, 40, true",
    "300, 300, false"
  })
  void solvesShiftedEquations(int n, int rank, boolean inPlace) {
    INDArray basis = semidefinite(n, rank);
    SimpleMatrix matrix = Ejml.of(basis);
    Tridiagonal reduced = Tridiagonal.overwriteByBasis(basis, inPlace);
    assertClose(Matrices.transposeFirst(basis, basis), Nd4j.eye(n), ROUNDING);
    assertSmall(reduced.trace() / matrix.trace() - 1, ROUNDING);

    INDArray right = Nd4j.rand(DataType.DOUBLE, n, 3);
    Tridiagonal.Shifted shifted = reduced.plus(SHIFT);
    double[] rows = HostDoubles.of(Matrices.transposeFirst(basis, right));
    shifted.solve(rows);
    INDArray solution = Nd4j.createFromArray(rows).reshape(n, 3);
    SimpleMatrix equations = matrix.plus(SimpleMatrix.identity(n).scale(SHIFT));
    INDArray expected = Ejml.toNd4j(equations.solve(Ejml.of(right)));
    assertThat(shifted.length()).isEqualTo(n);
    assertClose(Matrices.product(basis, solution), expected, ROUNDING);
  }

  @Test
  void halvesOfSolutionsHaveTheProductsOfTheInverse() {
    INDArray basis = semidefinite(9, 5);
    SimpleMatrix matrix = Ejml.of(basis);
    Tridiagonal.Shifted shifted = Tridiagonal.overwriteByBasis(basis).plus(SHIFT);
    double[] rows = HostDoubles.of(basis);
    for (int i = 0; i < 9; i++) {
      shifted.halfSolve(rows, 9 * i);
    }
    INDArray halves = Nd4j.createFromArray(rows).reshape(9, 9);
    SimpleMatrix inverse = matrix.plus(SimpleMatrix.identity(9).scale(SHIFT)).invert();
    assertClose(Matrices.transposeSecond(halves, halves), Ejml.toNd4j(inverse), ROUNDING);
  }

  /** Rounding may take eigenvalues below zero by more than a small λ. */
  @ParameterizedTest
  @ValueSource(ints = {2, 6, 50, 200})
  void takesWhatRoundingMakesOfZero(int n) {
    INDArray noise =
        Matrices.symmetricPart(Nd4j.rand(DataType.DOUBLE, n, n).subi(0.5)).muli(1e-15).dup('f');
    double smallest = SymmetricEigen.valuesOf(noise).getDouble(0);
    Tridiagonal reduced = Tridiagonal.overwriteByBasis(noise);
    double shift = reduced.smallestShift();
    assertThat(shift).isBetween(-3.9 * smallest, -4.1 * smallest);
    double[] solution = new double[n];
    solution[0] = 1;
    reduced.plus(shift).solve(solution);
    assertThat(Arrays.stream(solution).map(x -> x * x).sum()).isBetween(0.0, 4 / (shift * shift));
    assertThatThrownBy(() -> reduced.plus(1e-20))
        .isInstanceOf(ArithmeticException.class)
        .hasMessage(
            "expected a positive definite matrix, got one that is not after a shift by 1.0E-20");
  }

  @Test
  void zeroNeedsNoShiftBeyondTheSmallest() {
    Tridiagonal zero = Tridiagonal.overwriteByBasis(Nd4j.zeros(DataType.DOUBLE, 4, 4).dup('f'));
    assertThat(zero.smallestShift()).isLessThan(1e-300);
    double[] solution = {1, 2, 3, 4};
    zero.plus(0.5).solve(solution);
    assertThat(solution).containsExactly(new double[] {2, 4, 6, 8}, within(ROUNDING));
  }

  @Test
  void refusesNan() {
    INDArray matrix = semidefinite(3, 3).putScalar(2, 1, Double.NaN);
    assertThatThrownBy(() -> Tridiagonal.overwriteByBasis(matrix))
        .isInstanceOf(NotFiniteException.class)
        .hasMessage("matrix: expected a finite matrix, got NaN or infinity in it");
  }
}
