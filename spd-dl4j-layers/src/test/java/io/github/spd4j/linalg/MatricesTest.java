/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.linalg;

import static io.github.spd4j.testing.Tolerances.FLOAT_ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static io.github.spd4j.testing.Tolerances.assertSmall;
import static io.github.spd4j.testing.Tolerances.rounding;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.testing.Ejml;
import org.ejml.simple.SimpleMatrix;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** Of single matrices, in either order of their numbers. */
class MatricesTest {

  private static INDArray[] orders(INDArray a) {
    return new INDArray[] {a, a.dup('f')};
  }

  private static SimpleMatrix exact(INDArray a) {
    return Ejml.of(a.castTo(DataType.DOUBLE));
  }

  @ParameterizedTest
  @EnumSource(
      value = DataType.class,
      names = {"FLOAT", "DOUBLE"})
  void productsAreThoseOfEjml(DataType type) {
    Nd4j.getRandom().setSeed(31);
    INDArray square = Nd4j.randn(type, 40, 40);
    SimpleMatrix s = exact(square);
    INDArray tall = Nd4j.randn(type, 40, 7);
    SimpleMatrix t = exact(tall);
    INDArray sum = Nd4j.randn(type, 40, 7);
    SimpleMatrix plus = exact(sum).plus(s.mult(t).scale(-0.3));
    for (INDArray a : orders(square)) {
      for (INDArray b : orders(tall)) {
        assertClose(Matrices.product(a, b), Ejml.toNd4j(s.mult(t)), rounding(type));
        assertClose(
            Matrices.transposeFirst(a, b), Ejml.toNd4j(s.transpose().mult(t)), rounding(type));
        assertClose(
            Matrices.transposeSecond(a, a), Ejml.toNd4j(s.mult(s.transpose())), rounding(type));
        INDArray kept = sum.dup();
        assertClose(Matrices.plusProduct(sum, -0.3, a, b), Ejml.toNd4j(plus), rounding(type));
        assertThat(sum).isEqualTo(kept);
        assertClose(Matrices.addProduct(kept, -0.3, a, b), Ejml.toNd4j(plus), rounding(type));
        INDArray multiple = sum.dup('c');
        assertThat(Matrices.addMultiple(multiple, 2, b)).isSameAs(multiple);
        assertClose(multiple, Ejml.toNd4j(exact(sum).plus(t.scale(2))), rounding(type));
      }
      INDArray symmetric = Matrices.symmetricPart(a);
      assertClose(symmetric, Ejml.toNd4j(s.plus(s.transpose()).scale(0.5)), rounding(type));
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = DataType.class,
      names = {"FLOAT", "DOUBLE"})
  void normsAreSummedInDoublePrecision(DataType type) {
    Nd4j.getRandom().setSeed(32);
    INDArray matrix = Nd4j.randn(type, 100, 123); // several blocks, the last of them not full
    double norm = exact(matrix).normF();
    for (INDArray a : orders(matrix)) {
      assertSmall(Matrices.squaredNorm(a) / (norm * norm) - 1, 1e-12);
      assertThat(Matrices.isFinite(a)).isTrue();
      double huge = type == DataType.FLOAT ? 1e38 : 1e300; // its square is not finite
      assertThat(Matrices.isFinite(a.dup().putScalar(99, 122, huge))).isTrue();
      for (double bad : new double[] {Double.NaN, Double.NEGATIVE_INFINITY}) {
        assertThat(Matrices.isFinite(a.dup().putScalar(99, 122, bad))).isFalse();
      }
    }
  }

  @Test
  void closedArraysHaveNoMemoryAndViewsAreLeft() {
    INDArray own = Nd4j.ones(DataType.FLOAT, 3, 3);
    INDArray other = Nd4j.ones(DataType.FLOAT, 3, 3);
    INDArray view = other.getRow(1);
    Matrices.closeAll(own, view, own);
    assertThat(own.wasClosed()).isTrue();
    assertThat(other.wasClosed()).isFalse();
    assertThat(view.sumNumber().doubleValue()).isEqualTo(3);
  }

  /** More columns than are multiplied at once. */
  @Test
  void longRowsAreMultipliedInParts() {
    Nd4j.getRandom().setSeed(33);
    INDArray a = Nd4j.randn(DataType.FLOAT, 3, 9_001);
    INDArray b = Nd4j.randn(DataType.FLOAT, 2, 9_001);
    INDArray expected = Ejml.toNd4j(exact(a).mult(exact(b).transpose()));
    INDArray product = Matrices.transposeSecondInParts(a, b);
    assertThat(product.dataType()).isEqualTo(DataType.DOUBLE);
    assertClose(product, expected, FLOAT_ROUNDING);
  }
}
