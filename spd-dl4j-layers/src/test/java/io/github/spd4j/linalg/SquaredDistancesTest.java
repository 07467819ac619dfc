/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.linalg;

import static io.github.spd4j.testing.Tolerances.FLOAT_ROUNDING;
import static io.github.spd4j.testing.Tolerances.ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

class SquaredDistancesTest {

  private static INDArray distances(INDArray rows) {
    SameDiff sd = SameDiff.create();
    SDVariable input = sd.placeHolder("f", rows.dataType(), rows.shape());
    String output = SquaredDistances.define(sd, SquaredDistances.centre(input)).name();
    return sd.output(Map.of("f", rows), output).get(output);
  }

  private static INDArray byDefinition(INDArray rows) {
    long n = rows.size(0);
    long c = rows.size(1);
    INDArray result = Nd4j.zeros(DataType.DOUBLE, n, c, c);
    INDArray exact = rows.castTo(DataType.DOUBLE);
    for (long b = 0; b < n; b++) {
      for (long i = 0; i < c; i++) {
        for (long j = 0; j < c; j++) {
          double d = exact.slice(b).getRow(i).distance2(exact.slice(b).getRow(j));
          result.putScalar(new long[] {b, i, j}, d * d);
        }
      }
    }
    return result;
  }

  private static INDArray rows(DataType type, int seed, long... shape) {
    Nd4j.getRandom().setSeed(seed);
    return Nd4j.randn(DataType.DOUBLE, shape).castTo(type);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void agreeWithTheDefinition(int seed) {
    INDArray f = rows(DataType.DOUBLE, seed, 2, 6, 9);
    assertClose(distances(f), byDefinition(f), ROUNDING);
  }

  /** Maps far from zero but close to each other: without centring no digit would be right. */
  @Test
  void survivesALargeCommonOffsetInSinglePrecision() {
    INDArray f = rows(DataType.FLOAT, 4, 2, 16, 49).addi(1000);
    assertClose(distances(f), byDefinition(f), FLOAT_ROUNDING);
  }

  @ParameterizedTest
  @EnumSource(
      value = DataType.class,
      names = {"FLOAT", "DOUBLE"})
  void equalRowsAndTheDiagonalHaveNoDistance(DataType type) {
    INDArray f = rows(type, 5, 3, 64, 196);
    for (long b = 0; b < 3; b++) {
      f.slice(b).putRow(7, f.slice(b).getRow(50));
      f.slice(b).putRow(33, f.slice(b).getRow(50));
    }
    INDArray d = distances(f);
    assertThat(d.minNumber().doubleValue()).isZero();
    for (long b = 0; b < 3; b++) {
      for (long i = 0; i < 64; i++) {
        assertThat(d.getDouble(b, i, i)).isZero();
      }
      assertThat(d.getDouble(b, 7, 50)).isZero();
      assertThat(d.getDouble(b, 33, 7)).isZero();
    }
    assertThat(d.gt(0).castTo(DataType.INT64).sumNumber().longValue()).isEqualTo(3 * (64 * 63 - 6));
  }
}
