/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.orthonormal;

import static io.github.spd4j.testing.Tolerances.ON_MANIFOLD_DOUBLE;
import static io.github.spd4j.testing.Tolerances.ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static io.github.spd4j.testing.Tolerances.assertSmall;

import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.linalg.Matrices;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

class GramSchmidtTest {

  private static final OrthonormalFactor FACTOR = OrthonormalFactor.on(Backend.current());

  @ParameterizedTest
  @CsvSource({"1, 1", "5, 1", "5, 5", "40, 7", "128, 128"})
  void isWhatLapackGives(int rows, int columns) {
    INDArray a = Nd4j.randn(DataType.DOUBLE, rows, columns);
    INDArray kept = a.dup();
    assertClose(GramSchmidt.q(a), FACTOR.qr(a), 100 * ROUNDING);
    assertClose(a, kept, 0);
  }

  @Test
  void staysOrthonormalWhereColumnsNearlyCoincide() {
    INDArray a = Nd4j.randn(DataType.DOUBLE, 20, 1).mmul(Nd4j.ones(DataType.DOUBLE, 1, 6));
    a.addi(Nd4j.randn(DataType.DOUBLE, 20, 6).muli(1e-9));
    assertSmall(Matrices.orthonormalityError(GramSchmidt.q(a)), ON_MANIFOLD_DOUBLE);
  }

  @Test
  void replacesColumnsWithoutADirection() {
    INDArray a = Nd4j.zeros(DataType.DOUBLE, 6, 4);
    a.putColumn(1, Nd4j.ones(DataType.DOUBLE, 6));
    assertSmall(Matrices.orthonormalityError(GramSchmidt.q(a)), ON_MANIFOLD_DOUBLE);
  }
}
