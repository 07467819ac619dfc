/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.orthonormal;

import static io.github.spd4j.testing.Tolerances.FLOAT_ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static io.github.spd4j.testing.Tolerances.assertSmall;
import static io.github.spd4j.testing.Tolerances.onManifold;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.internal.backend.Nd4jAlgebra;
import io.github.spd4j.internal.backend.Scratch;
import io.github.spd4j.internal.backend.host.HostFloats;
import io.github.spd4j.linalg.Matrices;
import io.github.spd4j.manifold.Stiefel;
import io.github.spd4j.testing.Ejml;
import io.github.spd4j.testing.Generator;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import org.ejml.simple.SimpleMatrix;
import org.ejml.simple.SimpleSVD;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** In FLOAT, where other ways lead to the factors than in DOUBLE; {@code StiefelTest} has those. */
@Tag("once")
class OrthonormalFactorTest {

  /** Rounding that adds up would be seen after a hundred; three thousand in a campaign. */
  private static final int STEPS = 15 * Generator.times(40);

  private static final OrthonormalFactor FACTOR = OrthonormalFactor.on(Backend.current());

  @BeforeEach
  void seed() {
    Nd4j.getRandom().setSeed(21);
  }

  /** Steps of every size: as they come, with a second look, and beyond. */
  static Stream<Arguments> steps() {
    int[][] sizes = {{1, 1}, {7, 1}, {6, 6}, {130, 130}, {200, 70}};
    return Stream.of(sizes)
        .flatMap(
            size ->
                DoubleStream.of(0, 1e-4, 1e-2, 0.1, 1, 30)
                    .mapToObj(step -> Arguments.of(size[0], size[1], step)));
  }

  /** A step along a tangent vector whose singular values are about the given number. */
  private static INDArray step(int n, int p, double length) {
    INDArray w = Stiefel.random(DataType.FLOAT, n, p);
    INDArray tangent = Stiefel.projection(w, Nd4j.randn(DataType.FLOAT, n, p));
    double norm = Math.max(tangent.norm2Number().doubleValue(), 1e-3);
    return w.add(tangent.mul(length * Math.sqrt(p) / norm));
  }

  @ParameterizedTest
  @MethodSource("steps")
  void qrIsThatOfDoublePrecision(int n, int p, double length) {
    INDArray a = step(n, p, length);
    INDArray kept = a.dup();
    INDArray q = FACTOR.qr(a);
    assertThat(q.dataType()).isEqualTo(DataType.FLOAT);
    // Rounding A moves Q by as much as the condition of A, here about the length, says.
    double tolerance = FLOAT_ROUNDING * Math.max(1, length);
    assertClose(q, GramSchmidt.q(a), tolerance);
    assertSmall(Stiefel.distanceFromManifold(q), onManifold(DataType.FLOAT));
    assertThat(a).isEqualTo(kept);
  }

  /** Without that they would be right as well, but slow. Panels have 64 columns. */
  @ParameterizedTest
  @CsvSource({
    "1, 1, 0.01",
    "64, 64, 0.01",
    "65, 65, 0.1",
    "130, 130, 1",
    "200, 70, 10",
    "130, 130, 100"
  })
  void stepsNeedNoReflections(int n, int p, double length) {
    INDArray a = step(n, p, length).dup('c');
    assumeTrue(HostFloats.isPossible(a));
    assertThat(FactorHost.of(a, FactorHost::q)).isPresent();
  }

  /** Fresh memory at every step would be slow. */
  @Test
  void factorsOfSumsLieWhereTheyMay() {
    INDArray a = step(20, 8, 0);
    assumeTrue(HostFloats.isPossible(a));
    INDArray b = Nd4j.randn(DataType.FLOAT, 20, 8);
    Scratch room = new Scratch();
    INDArray q = FACTOR.qrOfSum(a, 0.1, b, room);
    assertThat(FACTOR.qrOfSum(a, 0.2, b, room)).isSameAs(q);
    assertClose(q, FACTOR.qr(a.add(b.mul(0.2))), FLOAT_ROUNDING);
    INDArray polar = FACTOR.polarOfSum(a, 0.1, b, room);
    assertThat(FACTOR.polarOfSum(a, 0.2, b, room)).isSameAs(polar);
    assertClose(polar, FACTOR.polar(a.add(b.mul(0.2))), FLOAT_ROUNDING);
  }

  @ParameterizedTest
  @ValueSource(floats = {Float.NaN, Float.POSITIVE_INFINITY})
  void whatIsNotFiniteIsNotDecomposed(float number) {
    for (int column : new int[] {0, 129}) {
      INDArray a = step(130, 130, 0.01).dup('c');
      assumeTrue(HostFloats.isPossible(a));
      a.putScalar(77, column, number);
      assertThat(FactorHost.of(a, FactorHost::q)).isEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource("steps")
  void polarIsThatOfTheSingularValueDecomposition(int n, int p, double length) {
    INDArray a = step(n, p, length);
    INDArray kept = a.dup();
    SimpleSVD<SimpleMatrix> svd = Ejml.of(a.castTo(DataType.DOUBLE)).svd(true);
    INDArray expected = Ejml.toNd4j(svd.getU().mult(svd.getV().transpose()));
    INDArray q = FACTOR.polar(a);
    assertThat(q.dataType()).isEqualTo(DataType.FLOAT);
    assertClose(q, expected, FLOAT_ROUNDING * Math.max(1, length));
    assertSmall(Stiefel.distanceFromManifold(q), onManifold(DataType.FLOAT));
    assertThat(a).isEqualTo(kept);
  }

  /**
   * S (I + δA) with orthonormal S and a symmetric A of unit length, whose polar factor is S. The
   * lengths are the largest that one step of either kind may see last: a wrong number in its series
   * would be left in the result, and not be mended by another step.
   */
  @ParameterizedTest
  @CsvSource({
    "FLOAT, 2.3e-3, 3e-7",
    "FLOAT, 1.6e-4, 3e-7",
    "DOUBLE, 2.9e-6, 2e-14",
    "DOUBLE, 7e-9, 2e-14"
  })
  void theLastStepIsAsGoodAsItsSeries(DataType type, double length, double tolerance) {
    INDArray s = Stiefel.random(DataType.DOUBLE, 12, 5);
    INDArray a = Matrices.symmetricPart(Nd4j.randn(DataType.DOUBLE, 5, 5));
    a.muli(length / a.norm2Number().doubleValue());
    INDArray x = s.add(s.mmul(a)).castTo(type);
    assertClose(FACTOR.polar(x), s, tolerance);
    INDArray room = new FactorBatch(new Nd4jAlgebra(), type, 12, 5).polarOfSum(x, 0, null);
    assertClose(room, s, tolerance);
  }

  @Test
  void takesViewsAndOtherOrders() {
    INDArray a = step(20, 20, 0.01);
    INDArray q = FACTOR.qr(a);
    INDArray polar = FACTOR.polar(a);
    assertClose(FACTOR.qr(a.dup('f')), q, FLOAT_ROUNDING);
    assertClose(FACTOR.polar(a.dup('f')), polar, FLOAT_ROUNDING);
    INDArray view = Nd4j.hstack(Nd4j.ones(DataType.FLOAT, 20, 3), a).getColumns(columns(3, 20));
    assertClose(FACTOR.qr(view), q, FLOAT_ROUNDING);
    assertClose(FACTOR.polar(a.transpose()), polar.transpose(), FLOAT_ROUNDING);
  }

  private static int[] columns(int first, int count) {
    return java.util.stream.IntStream.range(first, first + count).toArray();
  }

  /** The squared condition is beyond single precision: the Gram matrix tells nothing any more. */
  @Test
  void qrOfColumnsThatNearlyCoincideIsOrthonormalAndHasTheirSpan() {
    INDArray a = Nd4j.randn(DataType.FLOAT, 50, 1).mmul(Nd4j.ones(DataType.FLOAT, 1, 8));
    a.addi(Nd4j.randn(DataType.FLOAT, 50, 8).muli(1e-3));
    INDArray q = FACTOR.qr(a);
    assertSmall(Stiefel.distanceFromManifold(q), onManifold(DataType.FLOAT));
    INDArray r = q.transpose().mmul(a);
    assertClose(q.mmul(r), a, FLOAT_ROUNDING);
    for (int j = 0; j < 8; j++) {
      assertThat(r.getDouble(j, j)).as("diagonal of R").isPositive();
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = DataType.class,
      names = {"FLOAT", "DOUBLE"})
  void withoutFullRankThereIsAQButNoPolarFactor(DataType type) {
    INDArray a = Nd4j.randn(type, 9, 4);
    a.putColumn(2, a.getColumn(0));
    assertSmall(Stiefel.distanceFromManifold(FACTOR.qr(a)), onManifold(type));
    for (INDArray singular : new INDArray[] {Nd4j.ones(type, 4, 2), Nd4j.zeros(type, 3, 2)}) {
      assertThatThrownBy(() -> FACTOR.polar(singular))
          .isInstanceOf(ArithmeticException.class)
          .hasMessageContaining("whose columns are independent");
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = DataType.class,
      names = {"FLOAT", "DOUBLE"})
  void whatIsNotFiniteHasNoPolarFactor(DataType type) {
    for (double bad : new double[] {Double.NaN, Double.POSITIVE_INFINITY}) {
      INDArray a = Nd4j.randn(type, 9, 4).putScalar(2, 1, bad);
      assertThatThrownBy(() -> FACTOR.polar(a))
          .isInstanceOf(ArithmeticException.class)
          .hasMessageContaining("expected a finite matrix");
    }
  }

  @Test
  void manyStepsStayOnTheManifold() {
    INDArray byQr = Stiefel.random(DataType.FLOAT, 40, 24);
    INDArray byPolar = byQr;
    for (int i = 0; i < STEPS; i++) {
      INDArray step = Nd4j.randn(DataType.FLOAT, 40, 24).muli(i % 100 == 0 ? 0.3 : 1e-3);
      byQr = FACTOR.qr(byQr.add(Stiefel.projection(byQr, step)));
      byPolar = FACTOR.polar(byPolar.add(Stiefel.projection(byPolar, step)));
    }
    assertSmall(Stiefel.distanceFromManifold(byQr), onManifold(DataType.FLOAT));
    assertSmall(Stiefel.distanceFromManifold(byPolar), onManifold(DataType.FLOAT));
  }
}
