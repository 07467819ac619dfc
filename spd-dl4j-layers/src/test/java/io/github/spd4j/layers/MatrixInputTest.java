/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.internal.backend.Algebra;
import io.github.spd4j.internal.backend.Backend;
import org.deeplearning4j.exception.DL4JInvalidInputException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

class MatrixInputTest {

  private static final int SIZE = 40; // every third row is looked at

  private static void put(INDArray matrices, int row, int column, double value) {
    matrices.putScalar(new long[] {1, 0, row, column}, value);
  }

  private static void requireSymmetric(INDArray matrices) {
    Algebra algebra = Backend.current().algebra();
    new MatrixInput("Layer", 1, SIZE).checked(matrices, algebra, false).run();
  }

  /** What is not finite is refused elsewhere, and hides nothing here. */
  @ParameterizedTest
  @EnumSource(names = {"HALF", "FLOAT", "DOUBLE"})
  void namesTheEntriesThatDifferMost(DataType type) {
    INDArray matrices = Nd4j.ones(type, 2, 1, SIZE, SIZE);
    put(matrices, 0, 0, Double.NaN);
    put(matrices, 9, 0, Double.POSITIVE_INFINITY);
    put(matrices, 1, 0, 9);
    assertThatCode(() -> requireSymmetric(matrices)).doesNotThrowAnyException();
    put(matrices, 12, 6, 2);
    put(matrices, 6, 21, -3);
    assertThatThrownBy(() -> requireSymmetric(matrices))
        .isInstanceOf(DL4JInvalidInputException.class)
        .hasMessageContaining(
            "got -3.0 in row 6, column 21 and 1.0 in row 21, column 6 (example 1");
  }
}
