/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.manifold;

import static io.github.spd4j.testing.Tolerances.ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static io.github.spd4j.testing.Tolerances.assertSmall;
import static io.github.spd4j.testing.Tolerances.onManifold;
import static io.github.spd4j.testing.Tolerances.rounding;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.testing.Ejml;
import io.github.spd4j.testing.FiniteDifferences;
import java.util.List;
import java.util.function.BinaryOperator;
import java.util.stream.Stream;
import org.ejml.data.DMatrixRMaj;
import org.ejml.dense.row.factory.DecompositionFactory_DDRM;
import org.ejml.interfaces.decomposition.QRDecomposition;
import org.ejml.simple.SimpleMatrix;
import org.ejml.simple.SimpleSVD;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** The laws of the Stiefel manifold, on square, tall and one-column matrices, five seeds each. */
@Tag("once")
class StiefelTest {

  static Stream<Arguments> points() {
    long[][] sizes = {{1, 1}, {7, 1}, {6, 6}, {9, 4}, {40, 13}};
    return Stream.of(sizes)
        .flatMap(size -> Stream.of(1, 2, 3, 4, 5).map(s -> Arguments.of(size[0], size[1], s)));
  }

  private static INDArray point(long n, long p, int seed) {
    Nd4j.getRandom().setSeed(seed);
    return Stiefel.random(DataType.DOUBLE, n, p);
  }

  private static INDArray gaussian(long n, long p) {
    return Nd4j.randn(DataType.DOUBLE, n, p);
  }

  @ParameterizedTest
  @MethodSource("points")
  void randomAndIdentityAreOnTheManifold(long n, long p, int seed) {
    for (DataType type : new DataType[] {DataType.FLOAT, DataType.DOUBLE}) {
      Nd4j.getRandom().setSeed(seed);
      assertThat(Stiefel.check(Stiefel.random(type, n, p), onManifold(type))).isEmpty();
      assertThat(Stiefel.check(Stiefel.identity(type, n, p), 0)).isEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource("points")
  void projectionIsTangentAndIdempotentAndKeepsTangentVectors(long n, long p, int seed) {
    INDArray w = point(n, p, seed);
    INDArray z = gaussian(n, p);
    INDArray tangent = Stiefel.projection(w, z);
    assertSmall(Stiefel.distanceFromTangentSpace(w, tangent), ROUNDING);
    assertClose(Stiefel.projection(w, tangent), tangent, ROUNDING);
    // Orthogonal: what was removed is normal to every tangent vector.
    INDArray other = Stiefel.projection(w, gaussian(n, p));
    assertSmall(z.sub(tangent).mul(other).sumNumber().doubleValue(), ROUNDING);
  }

  @ParameterizedTest
  @MethodSource("points")
  void aMultipleOfTheProjectionIsAdded(long n, long p, int seed) {
    for (DataType type : new DataType[] {DataType.FLOAT, DataType.DOUBLE}) {
      INDArray w = point(n, p, seed);
      INDArray z = gaussian(n, p);
      INDArray target = gaussian(n, p);
      INDArray expected = target.add(Stiefel.projection(w, z).mul(0.3));
      INDArray changed = target.castTo(type).dup('c');
      INDArray same = Stiefel.addProjection(changed, 0.3, w.castTo(type), z.castTo(type));
      assertThat(same).isSameAs(changed);
      assertClose(changed, expected, rounding(type));
    }
  }

  @ParameterizedTest
  @EnumSource(Retraction.class)
  void aMultipleOfATangentVectorIsRetractedLikeTheVector(Retraction q) {
    for (DataType type : new DataType[] {DataType.FLOAT, DataType.DOUBLE}) {
      INDArray w = point(9, 4, 3).castTo(type);
      INDArray tangent = Stiefel.projection(w, gaussian(9, 4).castTo(type));
      INDArray keptW = w.dup();
      INDArray keptTangent = tangent.dup();
      assertClose(
          q.retract(w, -0.2, tangent), q.ontoManifold(w.sub(tangent.mul(0.2))), rounding(type));
      assertThat(w).isEqualTo(keptW);
      assertThat(tangent).isEqualTo(keptTangent);
    }
  }

  /** Theorem 3 of the paper: ∇ is tangent; and what it is made of. */
  @ParameterizedTest
  @MethodSource("points")
  void canonicalGradientIsTangentAndHasItsTwoParts(long n, long p, int seed) {
    INDArray w = point(n, p, seed);
    INDArray g = gaussian(n, p);
    INDArray gradient = StiefelMetric.CANONICAL.gradient(w, g);
    assertSmall(Stiefel.distanceFromTangentSpace(w, gradient), ROUNDING);

    SimpleMatrix sw = Ejml.of(w);
    SimpleMatrix sg = Ejml.of(g);
    SimpleMatrix wtg = sw.transpose().mult(sg);
    SimpleMatrix twiceSkew = wtg.minus(wtg.transpose());
    SimpleMatrix normalPart = sg.minus(sw.mult(wtg));
    assertClose(gradient, Ejml.toNd4j(sw.mult(twiceSkew).plus(normalPart)), ROUNDING);
    if (n == p) {
      assertClose(gradient, StiefelMetric.EUCLIDEAN.gradient(w, g).mul(2), ROUNDING);
    }
  }

  /** A gradient in a metric is defined by the derivative along every tangent vector. */
  @ParameterizedTest
  @MethodSource("points")
  void gradientsRepresentTheDerivative(long n, long p, int seed) {
    INDArray w = point(n, p, seed);
    INDArray g = gaussian(n, p);
    INDArray tangent = Stiefel.projection(w, gaussian(n, p));
    double derivative = g.mul(tangent).sumNumber().doubleValue();

    INDArray euclidean = StiefelMetric.EUCLIDEAN.gradient(w, g);
    assertSmall(euclidean.mul(tangent).sumNumber().doubleValue() - derivative, ROUNDING);

    INDArray canonical = StiefelMetric.CANONICAL.gradient(w, g);
    INDArray half = w.mmul(w.transpose().mmul(tangent)).muli(0.5);
    double inner = canonical.mul(tangent.sub(half)).sumNumber().doubleValue();
    assertSmall(inner - derivative, ROUNDING);
  }

  @ParameterizedTest
  @MethodSource("points")
  void retractionsStartAtWAndFollowTheTangentToSecondOrder(long n, long p, int seed) {
    INDArray w = point(n, p, seed);
    INDArray tangent = Stiefel.projection(w, gaussian(n, p));
    for (Retraction q : Retraction.values()) {
      assertClose(q.retract(w, tangent.mul(0)), w, ROUNDING);
      double coarse = secondOrderError(q, w, tangent, 1e-2);
      double fine = secondOrderError(q, w, tangent, 1e-3);
      // O(t²): a tenth of the step leaves a hundredth of the error.
      assertThat(fine).as("%s", q).isLessThanOrEqualTo(coarse / 80 + ROUNDING);
    }
  }

  private static double secondOrderError(Retraction q, INDArray w, INDArray tangent, double t) {
    INDArray step = tangent.mul(t);
    return q.retract(w, step).sub(w.add(step)).norm2Number().doubleValue();
  }

  @ParameterizedTest
  @MethodSource("points")
  void retractionsAgreeWithEjml(long n, long p, int seed) {
    INDArray w = point(n, p, seed);
    INDArray a = w.add(Stiefel.projection(w, gaussian(n, p)).mul(3));
    INDArray before = a.dup();
    assertClose(Retraction.QR.ontoManifold(a), ejmlQr(a), ROUNDING);
    assertClose(Retraction.POLAR.ontoManifold(a), ejmlPolar(a), ROUNDING);
    assertThat(a).isEqualTo(before);
  }

  private static INDArray ejmlQr(INDArray a) {
    QRDecomposition<DMatrixRMaj> qr =
        DecompositionFactory_DDRM.qr((int) a.size(0), (int) a.size(1));
    assertThat(qr.decompose(Ejml.of(a).getDDRM().copy())).isTrue();
    SimpleMatrix q = SimpleMatrix.wrap(qr.getQ(null, true));
    DMatrixRMaj r = qr.getR(null, true);
    for (int j = 0; j < q.getNumCols(); j++) {
      double sign = r.get(j, j) < 0 ? -1 : 1;
      for (int i = 0; i < q.getNumRows(); i++) {
        q.set(i, j, sign * q.get(i, j));
      }
    }
    return Ejml.toNd4j(q);
  }

  private static INDArray ejmlPolar(INDArray a) {
    SimpleSVD<SimpleMatrix> svd = Ejml.of(a).svd(true);
    return Ejml.toNd4j(svd.getU().mult(svd.getV().transpose()));
  }

  @ParameterizedTest
  @EnumSource(Retraction.class)
  void largeMatricesInSinglePrecisionLandOnTheManifold(Retraction q) {
    Nd4j.getRandom().setSeed(7);
    INDArray w = Stiefel.random(DataType.FLOAT, 512, 512);
    INDArray step = Stiefel.projection(w, Nd4j.randn(DataType.FLOAT, 512, 512)).mul(0.05);
    assertSmall(Stiefel.distanceFromManifold(q.retract(w, step)), onManifold(DataType.FLOAT));
  }

  /** Without the sign rule of QR, columns would flip from one step to the next. */
  @Test
  void columnsNeverFlip() {
    INDArray w = point(12, 5, 3);
    for (int i = 0; i < 500; i++) {
      INDArray step = Stiefel.projection(w, gaussian(12, 5)).mul(0.2);
      INDArray next = Retraction.QR.retract(w, step);
      double smallest = w.mul(next).sum(0).minNumber().doubleValue();
      assertThat(smallest).as("cosine of a column with its successor").isPositive();
      w = next;
    }
  }

  @ParameterizedTest
  @EnumSource(Retraction.class)
  void descendsAlongTheGradient(Retraction q) {
    INDArray w = point(8, 3, 1);
    INDArray a = gaussian(8, 8);
    INDArray symmetric = a.add(a.transpose());
    for (StiefelMetric metric : StiefelMetric.values()) {
      INDArray g = FiniteDifferences.gradient(x -> trace(x, symmetric), w.dup());
      INDArray next = q.retract(w, metric.gradient(w, g).mul(-1e-3));
      assertThat(trace(next, symmetric)).isLessThan(trace(w, symmetric));
    }
  }

  private static double trace(INDArray w, INDArray a) {
    return w.mul(a.mmul(w)).sumNumber().doubleValue();
  }

  @Test
  void aRankDeficientMatrixHasNoPolarFactor() {
    INDArray a = Nd4j.ones(DataType.DOUBLE, 4, 2);
    assertThatThrownBy(() -> Retraction.POLAR.ontoManifold(a))
        .isInstanceOf(ArithmeticException.class)
        .hasMessageContaining("whose columns are independent")
        .hasMessageContaining("[4, 2]");
  }

  @Test
  void polarTakesAnyScale() {
    INDArray w = point(9, 4, 2);
    for (double scale : new double[] {1e-6, 1e-2, 10, 1e6}) {
      assertClose(Retraction.POLAR.ontoManifold(w.mul(scale)), w, ROUNDING);
    }
  }

  @Test
  void checkGivesItsReason() {
    INDArray w = point(4, 2, 1);
    assertThat(Stiefel.check(w.mul(2), 1e-6)).get().asString().contains("‖WᵀW − I‖ is");
    assertThat(Stiefel.check(w.transpose(), 1e-6)).get().asString().contains("[2, 4]");
    assertThat(Stiefel.check(w.dup().putScalar(0, 1, Double.NaN), 1e-6))
        .get()
        .asString()
        .contains("NaN");
  }

  @Test
  void refusesMoreColumnsThanRows() {
    assertThatThrownBy(() -> Stiefel.random(DataType.FLOAT, 3, 4))
        .hasMessageContaining("n = 3")
        .hasMessageContaining("p = 4");
    assertThatThrownBy(() -> Stiefel.identity(DataType.FLOAT, 3, 0)).hasMessageContaining("p = 0");
  }

  @Test
  void theSameSeedGivesTheSamePointInBothTypes() {
    Nd4j.getRandom().setSeed(5);
    INDArray single = Stiefel.random(DataType.FLOAT, 6, 3);
    assertClose(single, point(6, 3, 5), 1e-6);
  }

  /** Matrices off the manifold in various ways. */
  static Stream<INDArray> offManifold() {
    Nd4j.getRandom().setSeed(5);
    INDArray w = Stiefel.random(DataType.DOUBLE, 40, 16);
    INDArray longer = w.dup();
    longer.getColumn(3).muli(1.01);
    INDArray twice = w.dup();
    twice.putColumn(7, twice.getColumn(2));
    return Stream.of(
        w.add(Nd4j.randn(DataType.DOUBLE, 40, 16).muli(1e-3)),
        w.add(Stiefel.random(DataType.DOUBLE, 40, 16)).divi(2),
        w.mul(1.001),
        w.mul(0),
        Nd4j.ones(DataType.DOUBLE, 40, 16),
        longer,
        twice);
  }

  @ParameterizedTest
  @MethodSource("offManifold")
  void theDistanceIsEstimated(INDArray w) {
    double distance = Stiefel.distanceFromManifold(w);
    assertThat(Stiefel.estimatedDistanceFromManifold(w)).isBetween(distance / 4, distance * 4);
  }

  @Test
  void theEstimateOfAPointIsZero() {
    for (DataType type : new DataType[] {DataType.FLOAT, DataType.DOUBLE}) {
      INDArray w = Stiefel.random(type, 40, 16);
      assertSmall(Stiefel.estimatedDistanceFromManifold(w), onManifold(type));
      w.putScalar(7, Double.NaN);
      assertThat(Stiefel.estimatedDistanceFromManifold(w)).isNaN();
    }
  }

  @Test
  void theNearestPoint() {
    Nd4j.getRandom().setSeed(5);
    INDArray w = Nd4j.randn(DataType.DOUBLE, 9, 4);
    INDArray kept = w.dup();
    INDArray nearest = Stiefel.nearest(w);
    assertThat(w).isEqualTo(kept);
    assertSmall(Stiefel.distanceFromManifold(nearest), onManifold(DataType.DOUBLE));
    for (int i = 0; i < 20; i++) {
      assertThat(w.distance2(Stiefel.random(DataType.DOUBLE, 9, 4)))
          .isGreaterThan(w.distance2(nearest));
    }
    INDArray near = Stiefel.nearest(nearest.add(Nd4j.randn(DataType.DOUBLE, 9, 4).muli(0.01)));
    assertThat(w.distance2(near)).isGreaterThan(w.distance2(nearest));
    assertThatThrownBy(() -> Stiefel.nearest(w.transpose())).hasMessageContaining("p ≤ n");
  }

  /** Against projections formed whole, and the singular values of EJML. */
  @ParameterizedTest
  @MethodSource("points")
  void distances(long n, long p, int seed) {
    INDArray a = point(n, p, seed);
    INDArray b = point(n, p, seed + 100);
    double chord = Stiefel.chordalDistance(a, b).getDouble(0);
    assertSmall(chord - Ejml.of(a).minus(Ejml.of(b)).normF(), ROUNDING);
    SimpleMatrix onA = Ejml.of(a).mult(Ejml.of(a).transpose());
    SimpleMatrix onB = Ejml.of(b).mult(Ejml.of(b).transpose());
    double projection = Stiefel.projectionDistance(a, b).getDouble(0);
    assertSmall(projection - onA.minus(onB).normF() / Math.sqrt(2), ROUNDING);
    assertThat(projection).isLessThanOrEqualTo(chord + ROUNDING);

    SimpleSVD<SimpleMatrix> cosines = Ejml.of(a).transpose().mult(Ejml.of(b)).svd();
    double[] angles = Stiefel.principalAngles(a, b).toDoubleVector();
    for (int i = 0; i < p; i++) {
      assertSmall(Math.cos(angles[i]) - cosines.getSingularValues()[i], 1e-8);
    }

    // Another basis of the same subspace is as far from B, and not from A at all.
    INDArray turned = a.mmul(point(p, p, seed));
    assertSmall(Stiefel.projectionDistance(turned, b).getDouble(0) - projection, ROUNDING);
    assertSmall(Stiefel.projectionDistance(turned, a).getDouble(0), ROUNDING);
    assertSmall(Stiefel.chordalDistance(a, a.castTo(DataType.DOUBLE)).getDouble(0), 0);
  }

  @Test
  void anglesThatAreKnown() {
    INDArray a = Stiefel.identity(DataType.FLOAT, 5, 2);
    INDArray b = Nd4j.zeros(DataType.DOUBLE, 5, 2);
    b.putScalar(0, 0, Math.cos(1e-6)).putScalar(2, 0, Math.sin(1e-6)).putScalar(3, 1, 1);
    double[] angles = Stiefel.principalAngles(a, b).toDoubleVector();
    assertSmall(angles[0] - 1e-6, 1e-8);
    assertSmall(angles[1] - Math.PI / 2, ROUNDING);
  }

  @Test
  void distancesOfDifferentShapesAreRefused() {
    INDArray a = Stiefel.identity(DataType.DOUBLE, 5, 2);
    INDArray b = Stiefel.identity(DataType.DOUBLE, 5, 3);
    assertThatThrownBy(() -> Stiefel.chordalDistance(a, b))
        .hasMessageStartingWith("expected two matrices [n, p] of the same shape")
        .hasMessageEndingWith("got shapes [5, 2] and [5, 3]");
    assertThatThrownBy(() -> Stiefel.projectionDistance(a, b)).hasMessageContaining("[5, 3]");
    INDArray two = Nd4j.stack(0, a, a);
    INDArray three = Nd4j.stack(0, a, a, a);
    assertThatThrownBy(() -> Stiefel.projection(two, three)).hasMessageContaining("[3, 5, 2]");
    assertThatThrownBy(() -> Retraction.QR.retract(a, Nd4j.ones(5))).hasMessageContaining("[5]");
  }

  @ParameterizedTest
  @EnumSource(
      value = DataType.class,
      names = {"FLOAT", "DOUBLE"})
  void stacksAreManyMatrices(DataType type) {
    INDArray[] points = new INDArray[3];
    for (int i = 0; i < points.length; i++) {
      points[i] = point(6, 3, i).castTo(type);
    }
    INDArray stack = Nd4j.stack(0, points);
    INDArray kept = stack.dup();
    INDArray one = point(6, 3, 9).castTo(type);
    INDArray any = gaussian(6, 3).castTo(type);
    List<BinaryOperator<INDArray>> functions =
        List.of(
            Stiefel::projection,
            StiefelMetric.CANONICAL::gradient,
            Retraction.QR::retract,
            Retraction.POLAR::retract,
            (a, b) -> Retraction.QR.ontoManifold(a.add(b)),
            (a, b) -> Stiefel.nearest(a.mul(3)),
            (a, b) -> Stiefel.principalAngles(a, Stiefel.nearest(b)),
            Stiefel::chordalDistance,
            (a, b) -> Stiefel.projectionDistance(a, Stiefel.nearest(b)));
    for (BinaryOperator<INDArray> function : functions) {
      INDArray all = function.apply(stack, any);
      INDArray pairs = function.apply(stack, Nd4j.stack(0, one, one, one));
      assertThat(all.size(0)).isEqualTo(3);
      for (int i = 0; i < points.length; i++) {
        INDArray single = function.apply(points[i], any);
        assertThat(single.length()).isEqualTo(all.length() / 3);
        assertThat(all.slice(i).reshape(single.shape())).isEqualTo(single);
        INDArray pair = function.apply(points[i], one);
        assertThat(pairs.slice(i).reshape(pair.shape())).isEqualTo(pair);
      }
    }
    assertThat(stack).isEqualTo(kept);
  }
}
