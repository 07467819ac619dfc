/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.backend.host;

import static io.github.spd4j.testing.Tolerances.FLOAT_ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.bytedeco.openblas.global.openblas;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.NDArrayIndex;

class HostMatrixTest {

  @BeforeEach
  void onlyOnTheCpu() {
    assumeTrue(HostFloats.isPossible(Nd4j.create(DataType.FLOAT, 1)));
    Nd4j.getRandom().setSeed(11);
  }

  private static HostMatrix second(INDArray stack) {
    return HostMatrix.of(new HostFloats(stack), 1, (int) stack.size(1), (int) stack.size(2));
  }

  @ParameterizedTest
  @CsvSource({"false, false", "true, false", "false, true", "true, true"})
  void productsAreThoseOfNd4j(boolean ofA, boolean ofB) {
    INDArray a = ofA ? randn(2, 7, 5) : randn(2, 5, 7);
    INDArray b = ofB ? randn(2, 3, 7) : randn(2, 7, 3);
    INDArray c = randn(2, 5, 3);
    INDArray expected = Nd4j.matmul(a.slice(1), b.slice(1), ofA, ofB, false).mul(2);
    expected.addi(c.slice(1).mul(0.5));
    INDArray first = c.slice(0).dup();
    second(c)
        .setProduct(
            2,
            ofA ? second(a).transposed() : second(a).plain(),
            ofB ? second(b).transposed() : second(b).plain(),
            0.5f);
    assertClose(c.slice(1), expected, FLOAT_ROUNDING);
    assertThat(c.slice(0)).isEqualTo(first);
  }

  /** 130 and 300 rows are several panels, of different sizes, for one thread and for several. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 64, 130, 300})
  void mirroredUpperTrianglesAreTheWholeProduct(int n) {
    INDArray a = randn(2, n, 9);
    INDArray c = randn(2, n, n);
    HostMatrix gram = second(c);
    INDArray own = a.slice(1);
    INDArray expected = own.mmul(own.transpose()).mul(3);
    gram.setUpperTriangle(3, second(a).plain(), second(a).transposed());
    gram.mirror(new float[n * n]);
    assertClose(c.slice(1), expected, FLOAT_ROUNDING);
    c.assign(Float.NaN);
    BlasThreads.alone(() -> gram.setUpperTriangle(3, second(a).plain(), second(a).transposed()));
    gram.mirror(new float[n * n]);
    assertClose(c.slice(1), expected, FLOAT_ROUNDING);
  }

  /** Whatever was there before. */
  @Test
  void squaresAreProductsWithTheTranspose() {
    INDArray a = randn(2, 5, 9);
    INDArray own = a.slice(1);
    INDArray rows = Nd4j.valueArrayOf(new long[] {2, 5, 5}, Float.NaN);
    HostMatrix byRows = second(rows);
    byRows.setUpperTriangleOfSquare(3, second(a).plain());
    byRows.mirror(new float[25]);
    assertClose(rows.slice(1), own.mmul(own.transpose()).mul(3), FLOAT_ROUNDING);
    INDArray columns = Nd4j.valueArrayOf(new long[] {2, 9, 9}, Float.NaN);
    HostMatrix byColumns = second(columns);
    byColumns.setUpperTriangleOfSquare(1, second(a).transposed());
    byColumns.mirror(new float[81]);
    assertClose(columns.slice(1), own.transpose().mmul(own), FLOAT_ROUNDING);
  }

  /** With a factor of 0 it does not matter what was there, even if it was no number. */
  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void sharedProductsReplaceWhatWasThere(int rows) {
    INDArray a = randn(2, rows, 777);
    INDArray b = randn(2, 5, 777);
    INDArray expected = a.slice(1).mmul(b.slice(1).transpose());
    INDArray c = Nd4j.valueArrayOf(new long[] {2, rows, 5}, Float.NaN);
    INDArray sums = Nd4j.valueArrayOf(new long[] {3, rows, 5}, Float.NaN);
    SharedProduct.alongTheCommonSide(
        1, second(a).plain(), second(b).transposed(), 0, second(c), 3, new HostFloats(sums));
    assertClose(c.slice(1), expected, FLOAT_ROUNDING);
    INDArray wide = Nd4j.valueArrayOf(new long[] {2, rows, 777}, Float.NaN);
    SharedProduct.byColumns(2, second(c).plain(), second(b).plain(), 0, second(wide));
    assertClose(wide.slice(1), expected.mmul(b.slice(1)).mul(2), FLOAT_ROUNDING);
  }

  @Test
  void addsAMultiple() {
    INDArray a = randn(2, 4, 6);
    INDArray c = randn(2, 4, 6);
    INDArray expected = c.slice(1).sub(a.slice(1).mul(0.5));
    second(c).add(-0.5f, second(a));
    assertClose(c.slice(1), expected, FLOAT_ROUNDING);
  }

  @Test
  void isReplacedByAnother() {
    INDArray a = randn(2, 4, 6);
    INDArray c = randn(2, 4, 6);
    INDArray first = c.slice(0).dup();
    second(c).set(second(a));
    assertThat(c.slice(1)).isEqualTo(a.slice(1));
    assertThat(c.slice(0)).isEqualTo(first);
  }

  /** Only the upper triangle is read and written. */
  @Test
  void choleskyFactorsGiveTheMatrixBack() {
    INDArray a = randn(2, 5, 9);
    INDArray own = a.slice(1);
    INDArray expected = own.mmul(own.transpose());
    INDArray c = Nd4j.valueArrayOf(new long[] {2, 5, 5}, 7f, DataType.FLOAT);
    second(c).setUpperTriangle(1, second(a).plain(), second(a).transposed());
    INDArray below = c.slice(1).dup();
    assertThat(second(c).toCholeskyFactor()).isTrue();
    INDArray r = Nd4j.create(DataType.FLOAT, 5, 5);
    for (int i = 0; i < 5; i++) {
      for (int j = 0; j < 5; j++) {
        if (j < i) {
          assertThat(c.getFloat(1, i, j)).isEqualTo(below.getFloat(i, j));
        } else {
          r.putScalar(i, j, c.getFloat(1, i, j));
        }
      }
    }
    assertClose(r.transpose().mmul(r), expected, FLOAT_ROUNDING);
    c.assign(-1);
    assertThat(second(c).toCholeskyFactor()).isFalse();
  }

  @Test
  void symmetricProductsReadTheUpperTriangle() {
    INDArray s = randn(2, 6, 6);
    INDArray upper = s.slice(1).dup();
    for (int i = 0; i < 6; i++) {
      for (int j = 0; j < i; j++) {
        upper.putScalar(i, j, upper.getFloat(j, i));
      }
    }
    INDArray a = randn(2, 4, 6);
    INDArray c = randn(2, 4, 6);
    INDArray expected = c.slice(1).add(a.slice(1).mmul(upper).mul(-2));
    second(c).addSymmetricProduct(-2, second(a), second(s));
    assertClose(c.slice(1), expected, FLOAT_ROUNDING);
  }

  /** Of an upper triangle that is a block: what lies around it and below it stays. */
  @Test
  void trianglesAreInvertedAndMultiplied() {
    INDArray room = randn(9, 8);
    INDArray before = room.dup();
    INDArray block = room.get(NDArrayIndex.interval(2, 7), NDArrayIndex.interval(1, 6));
    for (int i = 0; i < 5; i++) {
      block.putScalar(i, i, 2 + i);
      before.putScalar(2 + i, 1 + i, 2 + i);
    }
    INDArray r = Nd4j.create(DataType.FLOAT, 5, 5);
    for (int i = 0; i < 5; i++) {
      for (int j = i; j < 5; j++) {
        r.putScalar(i, j, block.getDouble(i, j));
      }
    }
    HostMatrix triangle = HostMatrix.of(room).block(2, 7, 1, 6);
    assertThat(triangle.invertUpperTriangle()).isTrue();
    INDArray x = randn(4, 5);
    INDArray expected = x.dup();
    HostMatrix.of(x).multiplyByUpperTriangle(triangle);
    assertClose(x.mmul(r), expected, FLOAT_ROUNDING);
    for (int i = 0; i < 9; i++) {
      for (int j = 0; j < 8; j++) {
        boolean isInTriangle = i >= 2 && i < 7 && j < 6 && j - 1 >= i - 2;
        if (!isInTriangle) {
          assertThat(room.getFloat(i, j)).isEqualTo(before.getFloat(i, j));
        }
      }
    }
    HostMatrix.of(room).write(new float[72]);
    assertThat(triangle.invertUpperTriangle()).isFalse();
  }

  @Test
  void distanceFromIdentityCountsOneTriangle() {
    INDArray a = Nd4j.createFromArray(new float[][] {{3, 5}, {70, 1}});
    assertThat(HostMatrix.of(a).distanceFromIdentity(1)).isEqualTo(Math.sqrt(4 + 25));
    assertThat(HostMatrix.of(a).distanceFromIdentity(2)).isEqualTo(Math.sqrt(4 + 50));
  }

  private static INDArray randn(long... shape) {
    return Nd4j.randn(DataType.FLOAT, shape);
  }

  @Test
  void blasHasItsThreadsBackAfterwards() {
    int ofOthers = BlasThreads.count();
    openblas.blas_set_num_threads(2); // or else a machine may have one alone
    try {
      requireThreadsBack();
    } finally {
      openblas.blas_set_num_threads(ofOthers);
    }
  }

  private static void requireThreadsBack() {
    int before = BlasThreads.count();
    assertThat(before).isEqualTo(2);
    BlasThreads.alone(
        () -> {
          assertThat(BlasThreads.count()).isEqualTo(1);
          BlasThreads.alone(() -> assertThat(BlasThreads.count()).isEqualTo(1));
          assertThat(BlasThreads.count()).isEqualTo(1);
        });
    assertThat(BlasThreads.count()).isEqualTo(before);
    assertThatThrownBy(
            () ->
                BlasThreads.alone(
                    () -> {
                      throw new IllegalStateException("as planned");
                    }))
        .hasMessage("as planned");
    assertThat(BlasThreads.count()).isEqualTo(before);
  }
}
