/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.encoding;

import static io.github.spd4j.testing.Tolerances.FLOAT_ROUNDING;
import static io.github.spd4j.testing.Tolerances.ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static io.github.spd4j.testing.Tolerances.assertSmall;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.linalg.Matrices;
import io.github.spd4j.linalg.NotFiniteException;
import org.ejml.simple.SimpleMatrix;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

class PrincipalComponentsTest {

  private static INDArray rows() {
    Nd4j.getRandom().setSeed(2);
    INDArray spread = Nd4j.createFromArray(new double[][] {{3, 0.1, 1, 0.5}});
    return Nd4j.randn(DataType.DOUBLE, 60, 4).muli(spread).addi(7);
  }

  /** What EJML finds to be the singular values of the centred rows. */
  @Test
  void variancesAreTheSquaredSingularValues() {
    INDArray rows = rows();
    INDArray projected = PrincipalComponents.of(rows, 4).project(rows);
    SimpleMatrix centred = new SimpleMatrix(rows.sub(rows.mean(true, 0)).toDoubleMatrix());
    double[] singular = centred.svd().getSingularValues();
    INDArray products = Matrices.transposeFirst(projected, projected);
    for (int i = 0; i < 4; i++) {
      assertSmall(products.getDouble(i, i) / (singular[i] * singular[i]) - 1, ROUNDING);
    }
    assertClose(products, Nd4j.diag(Nd4j.diag(products)), ROUNDING);
    assertSmall(projected.mean(0).norm2Number().doubleValue(), ROUNDING);
  }

  @Test
  void fewerDimensionsAreTheFirstOnes() {
    INDArray rows = rows();
    PrincipalComponents all = PrincipalComponents.of(rows, 4);
    PrincipalComponents two = PrincipalComponents.of(rows, 2);
    assertThat(two.basis().shape()).containsExactly(4, 2);
    assertClose(two.basis().getColumn(0), all.basis().getColumn(0), ROUNDING);
    assertClose(two.basis().getColumn(1), all.basis().getColumn(1), ROUNDING);
    assertSmall(Matrices.orthonormalityError(two.basis()), ROUNDING);
    assertSmall(all.explained() - 1, ROUNDING);
    INDArray projected = two.project(rows);
    double kept = projected.var(false, 0).sumNumber().doubleValue();
    double total = rows.var(false, 0).sumNumber().doubleValue();
    assertSmall(two.explained() - kept / total, ROUNDING);
  }

  @Test
  void bothTypesAndOneColumn() {
    INDArray rows = rows();
    PrincipalComponents components = PrincipalComponents.of(rows.castTo(DataType.FLOAT), 3);
    INDArray single = components.project(rows.castTo(DataType.FLOAT));
    assertThat(single.dataType()).isEqualTo(DataType.FLOAT);
    assertClose(single, components.project(rows), FLOAT_ROUNDING);
    INDArray column = rows.getColumn(0).reshape(60, 1);
    INDArray centred = column.sub(column.mean(true, 0));
    assertClose(PrincipalComponents.of(column, 1).project(column), centred, ROUNDING);
  }

  @Test
  void refusesWhatHasNoDirections() {
    assertThatThrownBy(() -> PrincipalComponents.of(rows(), 5))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("dimensions: expected 1 to 4, got 5");
    assertThatThrownBy(() -> PrincipalComponents.of(Nd4j.ones(1, 4), 2))
        .hasMessageContaining("rows: expected at least 2");
    assertThatThrownBy(() -> PrincipalComponents.of(rows().putScalar(3, Double.NaN), 2))
        .isInstanceOf(NotFiniteException.class)
        .hasMessage("rows: expected finite ones, got NaN or infinity in them");
  }
}
