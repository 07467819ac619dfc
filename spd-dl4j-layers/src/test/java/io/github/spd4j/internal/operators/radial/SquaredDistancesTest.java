/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.radial;

import static io.github.spd4j.testing.Tolerances.FLOAT_ROUNDING;
import static io.github.spd4j.testing.Tolerances.ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.internal.backend.ForwardPass;
import io.github.spd4j.internal.backend.Nd4jAlgebra;
import io.github.spd4j.internal.backend.host.HostFloats;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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
    String output =
        SquaredDistances.define(sd, SquaredDistances.centre(input), rows.size(1), rows.size(2))
            .name();
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
  @CsvSource({"DOUBLE,6", "FLOAT,6", "DOUBLE,1"})
  void ofOneMatrixAgreeWithTheDefinition(DataType type, int count) {
    INDArray f = rows(type, 4, 1, count, 9);
    INDArray before = f.dup();
    INDArray expected = byDefinition(f).reshape(count, count);
    assertClose(SquaredDistances.between(f.slice(0)), expected, ROUNDING);
    assertThat(f).isEqualTo(before);
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
  @CsvSource({
    "FLOAT, 64, 196",
    "DOUBLE, 64, 196",
    "FLOAT, 67, 784",
    "FLOAT, 128, 3136",
    "FLOAT, 61, 12544"
  })
  void equalRowsAndTheDiagonalHaveNoDistance(DataType type, int count, int length) {
    INDArray f = rows(type, 5, 2, count, length);
    int[] equal = {7, 33, count - 1};
    for (int b = 0; b < 2; b++) {
      f.slice(b).putRow(equal[0], f.slice(b).getRow(50));
      f.slice(b).putRow(equal[1], f.slice(b).getRow(50));
      f.slice(b).putRow(equal[2], f.slice(b).getRow(50));
    }
    INDArray d = distances(f);
    assertThat(d.minNumber().doubleValue()).isZero();
    for (int b = 0; b < 2; b++) {
      for (int i = 0; i < count; i++) {
        assertThat(d.getDouble(b, i, i)).as("diagonal %s", i).isZero();
      }
      for (int i : equal) {
        assertThat(d.getDouble(b, i, 50)).as("row %s and its equal", i).isZero();
        assertThat(d.getDouble(b, 50, i)).as("row %s and its equal", i).isZero();
      }
    }
    long apart = d.gt(0).castTo(DataType.INT64).sumNumber().longValue();
    assertThat(apart).isEqualTo(2 * ((long) count * (count - 1) - 12));
  }

  /**
   * Maps 1 and 1 + t·e₀, and their opposites, so that their mean is zero; every product of them is
   * exact. {@code t²} is a few units in the last place of the squared norms it is computed from:
   * within the guard it is no distance, beyond it is one. The guard grows with the root of the
   * length above 196 pixels.
   */
  @ParameterizedTest
  @CsvSource({
    "FLOAT, 16, 0x1p-8, true",
    "FLOAT, 16, 0x1p-7, false",
    "FLOAT, 784, 0x3p-6, true",
    "FLOAT, 784, 0x3p-5, false",
    "DOUBLE, 16, 0x1p-23, true",
    "DOUBLE, 16, 0x1p-21, false"
  })
  void whatCannotBeToldFromRoundingIsNoDistance(
      DataType type, int length, double t, boolean isRounding) {
    INDArray f = Nd4j.ones(type, 1, 4, length);
    f.putScalar(0, 1, 0, 1 + t);
    f.slice(0).putRow(2, f.slice(0).getRow(0).neg());
    f.slice(0).putRow(3, f.slice(0).getRow(1).neg());
    assertThat(distances(f).getDouble(0, 0, 1) == 0).isEqualTo(isRounding);
    if (type == DataType.DOUBLE) {
      assertThat(SquaredDistances.between(f.slice(0)).getDouble(0, 1) == 0).isEqualTo(isRounding);
    }
    Sigma sigma = new Sigma(t, 1, false);
    Nd4jAlgebra algebra = new Nd4jAlgebra();
    List<Radial> ways = new ArrayList<>();
    ways.add(new RadialBatch(Radial.Exponent.RBF, sigma, algebra));
    ways.add(new RadialBatch(Radial.Exponent.LAPLACIAN, sigma, algebra));
    if (HostFloats.isPossible(f)) {
      ways.add(new RadialHost(sigma));
    }
    for (Radial way : ways) {
      INDArray kernel = Nd4j.create(type, 1, 4, 4);
      ForwardPass saved = new ForwardPass();
      saved.begin(f, Map.of(), false);
      way.forward(f, 1, kernel, saved);
      for (int[] pair : new int[][] {{0, 1}, {1, 0}, {2, 3}, {3, 2}}) {
        assertThat(kernel.getDouble(0, pair[0], pair[1]) == 1).as("%s", way).isEqualTo(isRounding);
      }
      assertThat(kernel.getDouble(0, 0, 2)).isLessThan(1e-9);
    }
  }
}
