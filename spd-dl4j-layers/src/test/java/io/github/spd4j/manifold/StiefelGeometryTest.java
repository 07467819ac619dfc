/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.manifold;

import static io.github.spd4j.testing.Tolerances.assertClose;
import static io.github.spd4j.testing.Tolerances.rounding;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.internal.backend.Nd4jAlgebra;
import io.github.spd4j.linalg.Matrices;
import io.github.spd4j.testing.LoopAlgebra;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** Each part of a step by its formula, on every kind of backend. */
class StiefelGeometryTest {

  @BeforeEach
  void seed() {
    Nd4j.getRandom().setSeed(8);
  }

  static Stream<StiefelGeometry> geometries() {
    return Stream.of(
            Backend.current(), Backend.of(new Nd4jAlgebra()), Backend.of(new LoopAlgebra()))
        .map(StiefelGeometryTest::geometryOn);
  }

  private static StiefelGeometry geometryOn(Backend backend) {
    try (Backend.Pass pass = backend.pass()) {
      return new StiefelGeometry();
    }
  }

  static Stream<Arguments> geometriesAndTypes() {
    return geometries()
        .flatMap(
            geometry ->
                Stream.of(DataType.FLOAT, DataType.DOUBLE)
                    .map(type -> Arguments.of(geometry, type)));
  }

  private static INDArray point(DataType type, int p) {
    return Stiefel.random(type, 6, p).dup('c');
  }

  private static INDArray gaussian(DataType type) {
    return Nd4j.randn(type, 6, 4);
  }

  /** {@code Z − W sym(WᵀZ)}. */
  private static INDArray projected(INDArray w, INDArray z) {
    return z.sub(w.mmul(Matrices.symmetricPart(w.transpose().mmul(z))));
  }

  @ParameterizedTest
  @MethodSource("geometriesAndTypes")
  void gradientsAreThoseOfTheirMetrics(StiefelGeometry geometry, DataType type) {
    INDArray w = point(type, 4);
    INDArray g = gaussian(type);
    INDArray canonical = g.sub(w.mmul(g.transpose().mmul(w)));
    assertClose(geometry.gradient(StiefelMetric.CANONICAL, w, g), canonical, rounding(type));
    assertClose(geometry.gradient(StiefelMetric.EUCLIDEAN, w, g), projected(w, g), rounding(type));
  }

  @ParameterizedTest
  @MethodSource("geometriesAndTypes")
  void gradientsWithMomentumAreTheirSum(StiefelGeometry geometry, DataType type) {
    for (int p : new int[] {4, 6}) {
      INDArray w = point(type, p);
      INDArray g = Nd4j.randn(type, 6, p);
      INDArray v = Nd4j.randn(type, 6, p);
      for (StiefelMetric metric : StiefelMetric.values()) {
        INDArray sum = geometry.gradient(metric, w, g).add(projected(w, v).mul(0.9));
        assertClose(geometry.gradient(metric, w, g, 0.9, v), sum, rounding(type));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("geometriesAndTypes")
  void projectionsAreAddedToWhatIsKept(StiefelGeometry geometry, DataType type) {
    INDArray w = point(type, 4);
    INDArray z = gaussian(type);
    for (double kept : new double[] {1, 0.3, 0}) {
      INDArray target = gaussian(type);
      INDArray expected = target.mul(kept).add(projected(w, z).mul(-0.7));
      geometry.addProjection(kept, target, -0.7, w, z);
      assertClose(target, expected, rounding(type));
    }
  }

  /** One geometry serves parameters of several sizes in turn. */
  @ParameterizedTest
  @MethodSource("geometriesAndTypes")
  void retractsMultiplesOfTangentVectors(StiefelGeometry geometry, DataType type) {
    for (Retraction retraction : Retraction.values()) {
      for (int p : new int[] {4, 2, 4}) {
        INDArray w = point(type, p);
        INDArray tangent = projected(w, Nd4j.randn(type, 6, p)).dup('c');
        INDArray expected = retraction.ontoManifold(w.sub(tangent.mul(0.2)));
        INDArray keptW = w.dup();
        INDArray keptTangent = tangent.dup();
        assertClose(geometry.retract(retraction, w, -0.2, tangent), expected, rounding(type));
        assertThat(w).isEqualTo(keptW);
        assertThat(tangent).isEqualTo(keptTangent);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("geometriesAndTypes")
  void aStepThatIsNotFiniteLeadsNowhere(StiefelGeometry geometry, DataType type) {
    INDArray w = point(type, 4);
    INDArray bad = gaussian(type).putScalar(5, Double.NaN);
    for (Retraction retraction : Retraction.values()) {
      assertThatThrownBy(() -> geometry.retract(retraction, w, 1, bad))
          .isInstanceOf(ArithmeticException.class);
    }
  }

  @ParameterizedTest
  @MethodSource("geometries")
  void takesNumbersOutAndPutsThemIn(StiefelGeometry geometry) {
    INDArray vector = Nd4j.createFromArray(1.0, 2, 3, 4, 5);
    assertThat(geometry.read(vector, 1, 3)).containsExactly(2, 3, 4);
    geometry.write(vector, 2, 7, 8);
    assertThat(vector.toDoubleVector()).containsExactly(1, 2, 7, 8, 5);
    assertThat(geometry.read(vector, 3, 2)).containsExactly(8, 5);
    assertThat(geometry.quotient(vector, 4).toDoubleVector())
        .containsExactly(0.25, 0.5, 1.75, 2, 1.25);
    assertThat(vector.getDouble(0)).isEqualTo(1);
  }

  @Test
  void squaredNormsAreTheSumsOfSquares() {
    List<INDArray> arrays =
        List.of(
            Nd4j.createFromArray(new double[][] {{3, 4}, {0, 12}}),
            Nd4j.createFromArray(new float[][] {{3, 4}, {0, 12}}));
    geometries()
        .forEach(
            geometry -> {
              for (INDArray a : arrays) {
                assertThat(geometry.squaredNorm(a)).isEqualTo(169);
                INDArray bad = a.dup().putScalar(1, Double.NaN);
                assertThat(geometry.squaredNorm(bad)).isNaN();
              }
            });
  }
}
