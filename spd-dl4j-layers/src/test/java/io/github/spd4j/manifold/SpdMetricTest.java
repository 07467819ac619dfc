/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.manifold;

import static io.github.spd4j.testing.Tolerances.FLOAT_ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static io.github.spd4j.testing.Tolerances.assertSmall;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.linalg.Matrices;
import io.github.spd4j.linalg.NotFiniteException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.shade.jackson.databind.JsonNode;
import org.nd4j.shade.jackson.databind.ObjectMapper;

/** The geometry of SPD matrices: by an independent reference, and by what a metric must keep. */
class SpdMetricTest {

  /** Of functions of matrices whose condition number is up to a few hundred. */
  private static final double EXACT = 1e-10;

  private static final Map<String, SpdMetric> METRICS =
      Map.of(
          "log-euclidean", SpdMetric.logEuclidean(),
          "affine-invariant", SpdMetric.affineInvariant(),
          "log-cholesky", SpdMetric.logCholesky(),
          "bures-wasserstein", SpdMetric.buresWasserstein());

  static Stream<SpdMetric> metrics() {
    return METRICS.values().stream();
  }

  private static INDArray definite(int count, int n) {
    Nd4j.getRandom().setSeed(7L * n + count);
    INDArray factors = Nd4j.randn(DataType.DOUBLE, count, n, 2L * n);
    return Matrices.transposeSecond(factors, factors).divi(2L * n);
  }

  private static INDArray symmetric(int count, int n) {
    Nd4j.getRandom().setSeed(5L * n + count);
    return Matrices.symmetricPart(Nd4j.randn(DataType.DOUBLE, count, n, n));
  }

  static Stream<Arguments> cases() throws IOException {
    List<Arguments> result = new ArrayList<>();
    try (InputStream file = SpdMetricTest.class.getResourceAsStream("/reference/geometry.json")) {
      for (JsonNode json : new ObjectMapper().readTree(file).get("cases")) {
        METRICS.keySet().forEach(metric -> result.add(Arguments.of(metric, json)));
      }
    }
    assertThat(result).hasSize(16);
    return result.stream();
  }

  private static INDArray matrix(JsonNode rows) {
    int n = rows.size();
    INDArray result = Nd4j.create(DataType.DOUBLE, n, n);
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) {
        result.putScalar(i, j, rows.get(i).get(j).doubleValue());
      }
    }
    return result;
  }

  @ParameterizedTest
  @MethodSource("cases")
  void agreesWithTheReference(String name, JsonNode json) {
    SpdMetric metric = METRICS.get(name);
    JsonNode expected = json.get(name);
    List<INDArray> points = new ArrayList<>();
    json.get("points").forEach(point -> points.add(matrix(point)));
    INDArray a = points.get(0);
    INDArray b = points.get(1);
    INDArray tangent = matrix(json.get("tangent"));
    double distance = expected.get("distance").doubleValue();
    assertSmall(metric.distance(a, b).getDouble(0) / distance - 1, EXACT);
    double t = json.get("t").doubleValue();
    assertClose(metric.geodesic(a, b, t), matrix(expected.get("geodesic")), EXACT);
    assertClose(metric.logarithm(a, b), matrix(expected.get("logarithm")), EXACT);
    assertClose(metric.transport(a, b, tangent), matrix(expected.get("transport")), EXACT);
    INDArray stack = Nd4j.stack(0, points.toArray(new INDArray[0]));
    assertClose(metric.mean(stack), matrix(expected.get("mean")), EXACT);
    double[] weights = new double[points.size()];
    Arrays.setAll(weights, i -> json.get("weights").get(i).doubleValue());
    INDArray weighted = metric.mean(stack, Nd4j.createFromArray(weights));
    assertClose(weighted, matrix(expected.get("weightedMean")), EXACT);
  }

  @ParameterizedTest
  @MethodSource("metrics")
  void exponentialAndLogarithmUndoEachOther(SpdMetric metric) {
    INDArray a = definite(3, 5);
    INDArray b = definite(3, 5).mul(2);
    INDArray tangent = metric.logarithm(a, b);
    assertClose(metric.exponential(a, tangent), b, EXACT);
    INDArray other = symmetric(3, 5).mul(0.1);
    assertClose(metric.logarithm(a, metric.exponential(a, other)), other, EXACT);
    assertClose(metric.norm(a, tangent), metric.distance(a, b), EXACT);
    assertClose(metric.distance(b, a), metric.distance(a, b), EXACT);
    assertSmall(metric.distance(a, a).maxNumber().doubleValue(), EXACT);
  }

  @ParameterizedTest
  @MethodSource("metrics")
  void geodesicsGoAtConstantSpeed(SpdMetric metric) {
    INDArray a = definite(2, 4);
    INDArray b = symmetric(2, 4);
    b = Spd.exponential(b);
    assertClose(metric.geodesic(a, b, 0), a, EXACT);
    assertClose(metric.geodesic(a, b, 1), b, EXACT);
    INDArray whole = metric.distance(a, b);
    for (double t : new double[] {0.2, 0.5, 0.9}) {
      assertClose(metric.distance(a, metric.geodesic(a, b, t)), whole.mul(t), EXACT);
    }
  }

  /** Lengths stay, and the way there becomes the way on. */
  @ParameterizedTest
  @MethodSource("metrics")
  void transportKeepsLengths(SpdMetric metric) {
    INDArray a = definite(3, 4);
    INDArray b = Spd.exponential(symmetric(3, 4));
    INDArray tangent = symmetric(3, 4).mul(0.7).addi(Nd4j.eye(4).castTo(DataType.DOUBLE));
    INDArray moved = metric.transport(a, b, tangent);
    assertClose(metric.norm(b, moved), metric.norm(a, tangent), EXACT);
    INDArray there = metric.transport(a, b, metric.logarithm(a, b));
    assertClose(there, metric.logarithm(b, a).neg(), EXACT);
    assertClose(metric.transport(b, a, moved), tangent, EXACT);
  }

  @ParameterizedTest
  @MethodSource("metrics")
  void fromTheMeanTheWaysCancel(SpdMetric metric) {
    INDArray points = Spd.exponential(symmetric(6, 4));
    INDArray mean = metric.mean(points);
    INDArray sum = metric.logarithm(mean, points).sum(0);
    assertSmall(metric.norm(mean, sum).getDouble(0), EXACT);
    INDArray weights = Nd4j.createFromArray(0, 3.0, 1, 0, 0, 0);
    assertClose(
        metric.mean(points, weights),
        metric.geodesic(points.slice(1), points.slice(2), 0.25),
        EXACT);
    assertClose(metric.mean(points.slice(3)), points.slice(3), EXACT);
  }

  @Test
  void theAffineInvariantDistanceDoesNotDependOnCoordinates() {
    SpdMetric metric = SpdMetric.affineInvariant();
    INDArray a = definite(2, 4);
    INDArray b = Spd.exponential(symmetric(2, 4));
    INDArray g = Nd4j.randn(DataType.DOUBLE, 1, 4, 4).repeat(0, 2);
    INDArray turnedA = Matrices.transposeSecond(Matrices.product(g, a), g);
    INDArray turnedB = Matrices.transposeSecond(Matrices.product(g, b), g);
    assertClose(metric.distance(turnedA, turnedB), metric.distance(a, b), 1e-8);
    assertClose(metric.distance(Spd.power(a, -1), Spd.power(b, -1)), metric.distance(a, b), EXACT);
  }

  /** Matrices far apart, for which a whole step goes too far. */
  @Test
  void theIterationOfTheMeanIsDamped() {
    INDArray points = Spd.exponential(symmetric(5, 6).mul(3));
    SpdMetric metric = SpdMetric.affineInvariant();
    INDArray mean = metric.mean(points);
    INDArray sum = metric.logarithm(mean, points).sum(0);
    assertSmall(metric.norm(mean, sum).getDouble(0), 1e-7);
    assertThatThrownBy(() -> metric.mean(Spd.exponential(symmetric(5, 6).mul(12))))
        .isInstanceOf(ArithmeticException.class);
  }

  @ParameterizedTest
  @MethodSource("metrics")
  void oneMatrixGoesWithAStackAndTypesStay(SpdMetric metric) {
    INDArray a = definite(1, 3).slice(0);
    INDArray b = Spd.exponential(symmetric(4, 3));
    INDArray distances = metric.distance(a, b);
    assertThat(distances.shape()).containsExactly(4);
    for (int i = 0; i < 4; i++) {
      assertSmall(metric.distance(a, b.slice(i)).getDouble(0) - distances.getDouble(i), EXACT);
    }
    INDArray single = metric.geodesic(a.castTo(DataType.FLOAT), b.castTo(DataType.FLOAT), 0.5);
    assertThat(single.dataType()).isEqualTo(DataType.FLOAT);
    assertThat(single.shape()).containsExactly(4, 3, 3);
    assertClose(single.castTo(DataType.DOUBLE), metric.geodesic(a, b, 0.5), FLOAT_ROUNDING);
  }

  @ParameterizedTest
  @MethodSource("metrics")
  void floatsHaveTheAnswersOfDoubles(SpdMetric metric) {
    INDArray a = definite(3, 4);
    INDArray b = Spd.exponential(symmetric(3, 4));
    INDArray tangent = symmetric(3, 4).mul(0.05);
    List<UnaryOperator<INDArray>> functions =
        List.of(
            points -> metric.distance(points, b.castTo(points.dataType())),
            points -> metric.logarithm(points, b.castTo(points.dataType())),
            points -> metric.exponential(points, tangent.castTo(points.dataType())),
            points -> metric.norm(points, tangent.castTo(points.dataType())),
            points ->
                metric.transport(
                    points, b.castTo(points.dataType()), tangent.castTo(points.dataType())),
            metric::mean);
    for (UnaryOperator<INDArray> function : functions) {
      INDArray inFloat = function.apply(a.castTo(DataType.FLOAT));
      assertThat(inFloat.dataType()).isEqualTo(DataType.FLOAT);
      assertClose(inFloat.castTo(DataType.DOUBLE), function.apply(a), FLOAT_ROUNDING);
    }
  }

  @Test
  void theOptimalMapIsThatOfTheReference() throws IOException {
    for (Arguments each :
        cases().filter(e -> e.get()[0].equals("bures-wasserstein")).collect(Collectors.toList())) {
      JsonNode json = (JsonNode) each.get()[1];
      INDArray a = matrix(json.get("points").get(0));
      INDArray b = matrix(json.get("points").get(1));
      INDArray map = Spd.optimalMap(a, b);
      assertClose(map, matrix(json.get("bures-wasserstein").get("map")), EXACT);
      assertClose(map.mmul(a).mmul(map), b, EXACT);
    }
  }

  /** Roots are compared, whatever the unit, also where matrices are equal. */
  @ParameterizedTest
  @ValueSource(doubles = {1e-12, 1, 1e12})
  void buresWassersteinOfMatricesThatCommute(double scale) {
    SpdMetric metric = SpdMetric.buresWasserstein();
    INDArray a = Nd4j.diag(Nd4j.createFromArray(1.0, 4, 9)).mul(scale);
    INDArray b = Nd4j.diag(Nd4j.createFromArray(25.0, 4, 1)).mul(scale);
    assertSmall(metric.distance(a, b).getDouble(0) / Math.sqrt(scale) - Math.sqrt(20), EXACT);
    INDArray middle = Nd4j.diag(Nd4j.createFromArray(9.0, 4, 4));
    assertClose(metric.geodesic(a, b, 0.5).div(scale), middle, EXACT);
    assertClose(metric.mean(Nd4j.stack(0, a, b)).div(scale), middle, EXACT);
    assertClose(metric.mean(Nd4j.stack(0, a, a, a)), a, EXACT);
    INDArray tangent = Nd4j.diag(Nd4j.createFromArray(1.0, -2, 3)).mul(scale);
    INDArray moved = Nd4j.diag(Nd4j.createFromArray(5.0, -2, 1));
    assertClose(metric.transport(a, b, tangent).div(scale), moved, EXACT);
    assertClose(metric.transport(a, a, tangent), tangent, EXACT);
  }

  /** The manifold has an end, which other metrics have infinitely far away. */
  @Test
  void aGeodesicOfBuresWassersteinThatMeetsASingularMatrixIsRefused() {
    SpdMetric metric = SpdMetric.buresWasserstein();
    INDArray a = definite(2, 3);
    assertThat(metric.distance(a, a.mul(1e-12)).maxNumber().doubleValue()).isLessThan(3);
    for (Callable<INDArray> beyond :
        List.<Callable<INDArray>>of(
            () -> metric.geodesic(a, a.mul(4), -1), () -> metric.exponential(a, a.mul(-2)))) {
      assertThatThrownBy(beyond::call)
          .isInstanceOf(ArithmeticException.class)
          .hasMessageContaining("take a shorter tangent vector, or t between 0 and 1");
    }
  }

  /** Far apart, which takes several panels. */
  @Test
  void buresWassersteinTransportsFar() {
    SpdMetric metric = SpdMetric.buresWasserstein();
    INDArray a = Spd.exponential(symmetric(3, 4).mul(2));
    INDArray b = Spd.exponential(symmetric(3, 4).neg());
    INDArray tangent = symmetric(3, 4);
    INDArray moved = metric.transport(a, b, tangent);
    assertClose(metric.norm(b, moved), metric.norm(a, tangent), 1e-8);
  }

  @Test
  void functionsOfStacks() {
    INDArray a = definite(3, 5);
    INDArray before = a.dup();
    INDArray root = Spd.power(a, 0.5);
    assertClose(Matrices.product(root, root), a, EXACT);
    assertClose(Spd.exponential(Spd.logarithm(a)), a, EXACT);
    assertClose(Spd.logarithm(a.slice(1)), Spd.logarithm(a).slice(1), EXACT);
    assertThat(Spd.power(a.castTo(DataType.FLOAT), 0.5).dataType()).isEqualTo(DataType.FLOAT);
    assertClose(Spd.function(a, Math::sqrt), root, EXACT);
    assertClose(Spd.function(a.slice(1).neg(), x -> -x), a.slice(1), EXACT);
    assertThat(a).isEqualTo(before);
  }

  @Test
  void resultsThatAreNotFiniteAreRefused() {
    INDArray large = Nd4j.eye(3).castTo(DataType.DOUBLE).mul(100);
    assertThat(Spd.exponential(large).getDouble(0, 0)).isFinite();
    for (Callable<INDArray> result :
        List.<Callable<INDArray>>of(
            () -> Spd.exponential(large.castTo(DataType.FLOAT)),
            () -> Spd.exponential(large.mul(10)),
            () -> Spd.power(large.castTo(DataType.FLOAT), 50),
            () -> Spd.function(large.neg(), Math::log))) {
      assertThatThrownBy(result::call)
          .isInstanceOf(ArithmeticException.class)
          .hasMessageContaining("expected a finite result, got NaN or infinity");
    }
  }

  @ParameterizedTest
  @MethodSource("metrics")
  void refusesWhatIsNotPositiveDefinite(SpdMetric metric) {
    INDArray a = definite(2, 3);
    INDArray bad = a.dup();
    bad.slice(1).assign(Nd4j.eye(3).neg());
    assertThatThrownBy(() -> metric.distance(a, bad))
        .isInstanceOf(ArithmeticException.class)
        .hasMessageContaining("expected a positive definite matrix, got matrix 1 of 2")
        .hasMessageContaining("add a multiple of the identity");
    assertThatThrownBy(() -> metric.mean(bad)).isInstanceOf(ArithmeticException.class);
    INDArray nan = a.dup().putScalar(new int[] {0, 1, 1}, Double.NaN);
    assertThatThrownBy(() -> metric.distance(a, nan)).isInstanceOf(NotFiniteException.class);
    assertThatThrownBy(() -> metric.distance(a, definite(2, 4)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("[[2, 3, 3], [2, 4, 4]]");
    assertThatThrownBy(() -> metric.mean(a, Nd4j.createFromArray(1.0, -1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("none negative");
    assertThatThrownBy(() -> metric.distance(Nd4j.ones(3), a))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected a matrix [n, n] or a stack [N, n, n], got shape [3]");
  }
}
