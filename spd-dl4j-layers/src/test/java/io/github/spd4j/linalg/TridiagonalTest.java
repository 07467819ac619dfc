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

import io.github.spd4j.backend.host.HostDoubles;
import io.github.spd4j.testing.Ejml;
import java.util.Arrays;
import org.ejml.simple.SimpleMatrix;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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
  @Test
  void takesWhatRoundingMakesOfZero() {
    INDArray noise = Matrices.symmetricPart(Nd4j.rand(DataType.DOUBLE, 6, 6).subi(0.5)).muli(1e-15);
    double[] solution = {1, 1, 1, 1, 1, 1};
    Tridiagonal.overwriteByBasis(noise.dup('f')).plus(1e-20).solve(solution);
    assertThat(Arrays.stream(solution).allMatch(Double::isFinite)).isTrue();
  }

  @Test
  void refusesNan() {
    INDArray matrix = semidefinite(3, 3).putScalar(2, 1, Double.NaN);
    assertThatThrownBy(() -> Tridiagonal.overwriteByBasis(matrix))
        .isInstanceOf(NotFiniteException.class)
        .hasMessage("expected a finite matrix, got NaN or infinity in it");
  }
}
