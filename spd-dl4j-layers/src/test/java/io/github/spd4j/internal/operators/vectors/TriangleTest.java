/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.vectors;

import static io.github.spd4j.testing.Tolerances.ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static io.github.spd4j.testing.Tolerances.assertSmall;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.linalg.Matrices;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

class TriangleTest {

  private static INDArray vectors(INDArray matrices) {
    return vectors(Triangle.symmetric((int) matrices.size(1)), matrices);
  }

  private static INDArray vectors(Triangle triangle, INDArray matrices) {
    SameDiff sd = SameDiff.create();
    SDVariable input = sd.placeHolder("y", matrices.dataType(), matrices.shape());
    String output = triangle.define(sd, input).name();
    return sd.output(Map.of("y", matrices), output).get(output);
  }

  private static INDArray symmetric(int n) {
    Nd4j.getRandom().setSeed(n);
    return Matrices.symmetricPart(Nd4j.randn(DataType.DOUBLE, 3, n, n));
  }

  @Test
  void orderAndWeightsAreThoseOfThePaper() {
    double r = Math.sqrt(2);
    INDArray y = Nd4j.createFromArray(new double[][][] {{{1, 2, 3}, {2, 4, 5}, {3, 5, 6}}});
    INDArray expected = Nd4j.createFromArray(new double[][] {{1, 2 * r, 3 * r, 4, 5 * r, 6}});
    assertClose(vectors(Triangle.symmetric(3), y), expected, ROUNDING);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 7, 20})
  void keepsTheFrobeniusNormAndItsAdjointIsItsInverse(int n) {
    INDArray y = symmetric(n);
    INDArray v = vectors(y);
    assertThat(v.shape()).containsExactly(3, Triangle.length(n));
    assertSmall(v.norm2Number().doubleValue() - y.norm2Number().doubleValue(), ROUNDING);
    assertClose(Triangle.symmetric(n).pack(y), v, ROUNDING);
    assertClose(Triangle.symmetric(n).unpack(v), y, ROUNDING);
  }

  @Test
  void ofLowerTrianglesItTakesTheEntriesAsTheyAre() {
    INDArray l = Nd4j.createFromArray(new double[][][] {{{1, 0, 0}, {2, 3, 0}, {4, 5, 6}}});
    INDArray v = Nd4j.createFromArray(new double[][] {{1, 2, 3, 4, 5, 6}});
    assertClose(vectors(Triangle.lower(3), l), v, ROUNDING);
    assertClose(Triangle.lower(3).pack(l), v, ROUNDING);
    assertClose(Triangle.lower(3).unpack(v), l, ROUNDING);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 7})
  void adjointIsTheGradientWithinSymmetricMatrices(int n) {
    INDArray y = symmetric(n);
    INDArray g = Nd4j.randn(DataType.DOUBLE, 3, Triangle.length(n));
    double left = vectors(y).mul(g).sumNumber().doubleValue();
    double right = Triangle.symmetric(n).unpack(g).mul(y).sumNumber().doubleValue();
    assertSmall(left - right, ROUNDING);
  }
}
