/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.kernel;

import static io.github.spd4j.testing.Tolerances.ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static io.github.spd4j.testing.Tolerances.assertSmall;
import static io.github.spd4j.testing.Tolerances.rounding;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.internal.backend.ForwardPass;
import io.github.spd4j.internal.operators.radial.RadialKernels;
import io.github.spd4j.linalg.NotFiniteException;
import io.github.spd4j.linalg.NumericPolicy;
import io.github.spd4j.manifold.Spd;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.shade.jackson.databind.ObjectMapper;

/** The contract for both radial kernels with every bandwidth, and what is true of them alone. */
@Tag("once")
class RadialKernelTest {

  /** Where a learnt bandwidth has got to. */
  private static final double THETA = 0.3;

  private static double distance(double[] a, double[] b) {
    double sum = 0;
    for (int p = 0; p < a.length; p++) {
      sum += (a[p] - b[p]) * (a[p] - b[p]);
    }
    return Math.sqrt(sum);
  }

  private static double meanDistance(double[][] maps) {
    double sum = 0;
    int pairs = 0;
    for (int i = 0; i < maps.length; i++) {
      for (int j = 0; j < i; j++) {
        sum += distance(maps[i], maps[j]);
        pairs++;
      }
    }
    return pairs == 0 ? 0 : sum / pairs;
  }

  /** A kernel with a bandwidth; σ = factor · mean distance unless it is fixed. */
  private abstract static class Radial extends KernelContract {
    private final Function<Bandwidth, Kernel> make;
    private final Bandwidth bandwidth;
    private final double fixed;
    private final double factor;

    Radial(Function<Bandwidth, Kernel> make, Bandwidth bandwidth, double fixed, double factor) {
      this.make = make;
      this.bandwidth = bandwidth;
      this.fixed = fixed;
      this.factor = factor;
    }

    @Override
    final Kernel kernel() {
      return make.apply(bandwidth);
    }

    /** Only a learnt bandwidth has one. */
    @Override
    final Map<String, Double> parameters() {
      return bandwidth.isLearnt() ? Map.of(RadialKernel.LOG_BANDWIDTH, THETA) : Map.of();
    }

    @Override
    final double sigmaByDefinition(double[][] maps) {
      double start = fixed > 0 ? fixed : factor * meanDistance(maps);
      return bandwidth.isLearnt() ? start * Math.exp(THETA) : start;
    }

    @Override
    final Kernel frozenAt(double sigma) {
      boolean atFloor = sigma <= 2 * NumericPolicy.SIGMA_FLOOR; // a single map has no distances
      return bandwidth.isDifferentiated() || atFloor
          ? kernel()
          : make.apply(Bandwidth.fixed(sigma));
    }
  }

  private abstract static class Rbf extends Radial {
    Rbf(Bandwidth bandwidth, double fixed, double factor) {
      super(RbfKernel::new, bandwidth, fixed, factor);
    }

    @Override
    final double byDefinition(double[] fi, double[] fj, double sigma) {
      double d = distance(fi, fj);
      return d == 0 ? 1 : Math.exp(-d * d / (2 * sigma * sigma));
    }
  }

  private abstract static class Laplacian extends Radial {
    Laplacian(Bandwidth bandwidth, double fixed, double factor) {
      super(LaplacianKernel::new, bandwidth, fixed, factor);
    }

    @Override
    final double byDefinition(double[] fi, double[] fj, double sigma) {
      double d = distance(fi, fj);
      return d == 0 ? 1 : Math.exp(-d / sigma);
    }
  }

  @Nested
  class RbfWithMeanDistance extends Rbf {
    RbfWithMeanDistance() {
      super(Bandwidth.meanDistance(), 0, 1);
    }
  }

  @Nested
  class RbfWithDifferentiatedMeanDistance extends Rbf {
    RbfWithDifferentiatedMeanDistance() {
      super(Bandwidth.meanDistance().differentiated(), 0, 1);
    }
  }

  @Nested
  class RbfWithHalfTheDifferentiatedMeanDistance extends Rbf {
    RbfWithHalfTheDifferentiatedMeanDistance() {
      super(Bandwidth.meanDistance().times(0.5).differentiated(), 0, 0.5);
    }
  }

  @Nested
  class RbfWithTwiceTheMeanDistance extends Rbf {
    RbfWithTwiceTheMeanDistance() {
      super(Bandwidth.meanDistance().times(2), 0, 2);
    }
  }

  @Nested
  class RbfWithFixedBandwidth extends Rbf {
    RbfWithFixedBandwidth() {
      super(Bandwidth.fixed(1).times(1.5), 1.5, 1);
    }
  }

  @Nested
  class RbfWithLearntBandwidth extends Rbf {
    RbfWithLearntBandwidth() {
      super(Bandwidth.meanDistance().times(0.7).learnt(), 0, 0.7);
    }
  }

  @Nested
  class RbfWithLearntDifferentiatedBandwidth extends Rbf {
    RbfWithLearntDifferentiatedBandwidth() {
      super(Bandwidth.meanDistance().learnt().differentiated().times(0.7), 0, 0.7);
    }
  }

  @Nested
  class LaplacianWithLearntBandwidth extends Laplacian {
    LaplacianWithLearntBandwidth() {
      super(Bandwidth.meanDistance().learnt(), 0, 1);
    }
  }

  @Nested
  class LaplacianWithMeanDistance extends Laplacian {
    LaplacianWithMeanDistance() {
      super(Bandwidth.meanDistance(), 0, 1);
    }
  }

  @Nested
  class LaplacianWithDifferentiatedMeanDistance extends Laplacian {
    LaplacianWithDifferentiatedMeanDistance() {
      super(Bandwidth.meanDistance().differentiated(), 0, 1);
    }
  }

  @Nested
  class LaplacianWithFixedBandwidth extends Laplacian {
    LaplacianWithFixedBandwidth() {
      super(Bandwidth.fixed(2), 2, 1);
    }
  }

  static Stream<Kernel> kernels() {
    return Stream.of(
        new RbfKernel(),
        new RbfKernel(Bandwidth.meanDistance().differentiated()),
        new RbfKernel(Bandwidth.fixed(2)),
        new RbfKernel(Bandwidth.meanDistance().learnt()),
        new RbfKernel(Bandwidth.meanDistance().differentiated().learnt()),
        new LaplacianKernel(),
        new LaplacianKernel(Bandwidth.meanDistance().differentiated()),
        new LaplacianKernel(Bandwidth.fixed(2)));
  }

  private static INDArray maps(int seed, long... shape) {
    Nd4j.getRandom().setSeed(seed);
    return Nd4j.randn(DataType.DOUBLE, shape);
  }

  /** Distances do not change when all maps move together, so neither does the loss. */
  @ParameterizedTest
  @MethodSource("kernels")
  void gradientsOfAllMapsAddUpToZero(Kernel kernel) {
    INDArray f = maps(1, 3, 6, 8);
    INDArray gradient = new KernelRun(kernel, f).backward(maps(2, 3, 6, 6));
    assertThat(gradient.norm2Number().doubleValue()).isGreaterThan(1e-3);
    assertSmall(gradient.sum(1).norm2Number().doubleValue(), ROUNDING);
  }

  /** With σ proportional to the maps and differentiated, K does not depend on their scale. */
  @ParameterizedTest
  @MethodSource("kernels")
  void gradientIsNormalToTheMapsExactlyWhenSigmaIsDifferentiated(Kernel kernel) {
    INDArray f = maps(1, 3, 6, 8);
    INDArray gradient = new KernelRun(kernel, f).backward(maps(2, 3, 6, 6));
    double inner = gradient.mul(f).sumNumber().doubleValue();
    if (((RadialKernel) kernel).bandwidth().isDifferentiated()) {
      assertSmall(inner, ROUNDING);
    } else {
      assertThat(Math.abs(inner)).isGreaterThan(1e-3);
    }
  }

  /** Theorem 1 of the paper: positive definite for different maps, whatever C and P. */
  @ParameterizedTest
  @CsvSource({"2, 50", "10, 10", "12, 3", "20, 2", "6, 1"})
  void differentMapsGiveAPositiveDefiniteMatrix(int channels, int pixels) {
    for (int seed = 1; seed <= 5; seed++) {
      INDArray f = maps(seed, 1, channels, pixels);
      for (Kernel kernel : new Kernel[] {new RbfKernel(), new LaplacianKernel()}) {
        INDArray k = new KernelRun(kernel, f).matrix().slice(0);
        assertThat(Spd.smallestEigenvalue(k)).as("%s", kernel).isPositive();
      }
    }
  }

  @Test
  void equalMapsMakeTheMatrixSingular() {
    INDArray f = KernelContract.Maps.TWO_DEAD_CHANNELS.create(DataType.DOUBLE);
    INDArray k = new KernelRun(new RbfKernel(), f).matrix().slice(0);
    assertThat(k.getRow(1)).isEqualTo(k.getRow(3));
    assertSmall(Spd.smallestEigenvalue(k), ROUNDING);
  }

  @ParameterizedTest
  @MethodSource("kernels")
  void whereAllMapsAreEqualNothingIsLearnt(Kernel kernel) {
    for (DataType type : new DataType[] {DataType.FLOAT, DataType.DOUBLE}) {
      INDArray f = KernelContract.Maps.ALL_EQUAL.create(type);
      KernelRun run = new KernelRun(kernel, f);
      assertThat(run.matrix()).isEqualTo(run.matrix().like().addi(1));
      INDArray g = maps(3, 2, 4, 4).castTo(type);
      assertSmall(run.backward(g).norm2Number().doubleValue(), 0);
    }
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, -1, Double.NaN, Double.POSITIVE_INFINITY})
  void aBandwidthThatIsNotPositiveIsRefused(double sigma) {
    assertThatThrownBy(() -> Bandwidth.fixed(sigma))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("KernelAggregationLayer needs a finite sigma greater than 0")
        .hasMessageContaining("got " + sigma);
    assertThatThrownBy(() -> Bandwidth.meanDistance().times(sigma))
        .hasMessageContaining("factor")
        .hasMessageContaining("got " + sigma);
  }

  /** ∂L/∂θ = −⟨∂L/∂F, F⟩ for a constant mean distance: the scale of both together is free. */
  @ParameterizedTest
  @ValueSource(doubles = {-1, 0, 0.5})
  void whatIsLearntIsTheScaleOfTheMaps(double theta) {
    INDArray f = maps(1, 3, 6, 8);
    for (Function<Bandwidth, Kernel> make :
        List.<Function<Bandwidth, Kernel>>of(RbfKernel::new, LaplacianKernel::new)) {
      Kernel kernel = make.apply(Bandwidth.meanDistance().learnt());
      KernelRun run = new KernelRun(kernel, f, Map.of(RadialKernel.LOG_BANDWIDTH, theta));
      double byScale = run.backward(maps(2, 3, 6, 6)).mul(f).sumNumber().doubleValue();
      assertThat(Math.abs(byScale)).isGreaterThan(1e-3);
      assertSmall(run.byParameter(RadialKernel.LOG_BANDWIDTH).getDouble(0) + byScale, ROUNDING);
    }
  }

  /** Far beyond the limit K is the identity or all ones, and nothing overflows. */
  @ParameterizedTest
  @CsvSource({"-1000, 0", "-20, 0", "20, 1", "1000, 1"})
  void anExtremeBandwidthStaysFinite(double theta, double offDiagonal) {
    Map<String, Double> parameters = Map.of(RadialKernel.LOG_BANDWIDTH, theta);
    for (DataType type : new DataType[] {DataType.FLOAT, DataType.DOUBLE}) {
      INDArray f = maps(1, 2, 5, 8).castTo(type);
      for (Kernel kernel :
          List.of(
              new RbfKernel(Bandwidth.meanDistance().learnt()),
              new RbfKernel(Bandwidth.fixed(1e-9).learnt().times(theta < 0 ? 1 : 1e9)),
              new RbfKernel(Bandwidth.meanDistance().differentiated().learnt()),
              new LaplacianKernel(Bandwidth.meanDistance().learnt()))) {
        KernelRun run = new KernelRun(kernel, f, parameters);
        assertSmall(run.matrix().getDouble(0, 0, 1) - offDiagonal, 1e-8);
        assertThat(run.matrix().getDouble(0, 1, 1)).isEqualTo(1);
        INDArray byMaps = run.backward(maps(2, 2, 5, 5).castTo(type));
        assertThat(byMaps.norm2Number().doubleValue()).isFinite();
        assertThat(run.byParameter(RadialKernel.LOG_BANDWIDTH).getDouble(0)).isFinite();
      }
    }
  }

  @Test
  void theBandwidthIsTheLearntOne() {
    RadialKernel kernel = new RbfKernel(Bandwidth.meanDistance().times(2).learnt());
    INDArray theta = Nd4j.valueArrayOf(new long[] {1, 1}, 0.3, DataType.DOUBLE);
    INDArray f = maps(1, 5, 8);
    double start = kernel.bandwidth().valueFor(f);
    Bandwidth learnt = kernel.bandwidth(Map.of(RadialKernel.LOG_BANDWIDTH, theta));
    assertThat(learnt.isLearnt()).isFalse();
    assertSmall(learnt.valueFor(f) / start - Math.exp(0.3), ROUNDING);
    assertThat(new RbfKernel().bandwidth(Map.of())).isEqualTo(Bandwidth.meanDistance());
  }

  /** What versions before the learnt bandwidth wrote, and what they read. */
  @Test
  void jsonWithoutALearntBandwidthIsAsItWas() throws Exception {
    ObjectMapper mapper = NeuralNetConfiguration.mapper();
    String old =
        "{\"@class\":\"io.github.spd4j.kernel.RbfKernel\","
            + "\"bandwidth\":{\"differentiated\":true,\"factor\":0.5,\"sigma\":null}}";
    Kernel kernel = new RbfKernel(Bandwidth.meanDistance().times(0.5).differentiated());
    assertThat(mapper.readValue(old, Kernel.class)).isEqualTo(kernel);
    assertThat(mapper.readTree(mapper.writeValueAsString(kernel))).isEqualTo(mapper.readTree(old));
    assertThat(mapper.writeValueAsString(new RbfKernel(Bandwidth.meanDistance().learnt())))
        .contains("learnt");
  }

  @Test
  void aLearntBandwidthIsEqualToNoOther() {
    Bandwidth learnt = Bandwidth.meanDistance().learnt();
    assertThat(learnt).isNotEqualTo(Bandwidth.meanDistance()).isEqualTo(learnt.learnt());
    assertThat(learnt.differentiated().times(2))
        .isEqualTo(Bandwidth.meanDistance().times(2).differentiated().learnt())
        .hasToString("meanDistance().times(2.0).differentiated().learnt()");
  }

  @Test
  void aBandwidthReadsAsItIsWritten() {
    assertThat(Bandwidth.meanDistance()).hasToString("meanDistance()");
    assertThat(Bandwidth.fixed(2).learnt()).hasToString("fixed(2.0).learnt()");
    assertThat(Bandwidth.fixed(2).times(3)).hasToString("fixed(2.0).times(3.0)");
  }

  @Test
  void aFixedBandwidthIsThatOfAllMaps() {
    assertThat(Bandwidth.fixed(2).times(3).valueFor(maps(1, 5, 8))).isEqualTo(6);
    assertThat(Bandwidth.fixed(2).valueFor(Nd4j.ones(DataType.DOUBLE, 5, 8))).isEqualTo(2);
  }

  /** One that is fixed could be learnt to be too small for single precision. */
  @Test
  void aTinyBandwidthCannotBeLearnt() {
    Bandwidth tiny = Bandwidth.fixed(1e-12);
    assertThatThrownBy(tiny::learnt)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("needs a learnt sigma of more than")
        .hasMessageContaining("got 1.0E-12");
  }

  @Test
  void aFixedBandwidthHasNoDerivative() {
    assertThatThrownBy(() -> Bandwidth.fixed(1).differentiated())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("fixed(1.0)");
  }

  /** K depends on F/σ alone, and its gradient by F falls as F grows. */
  @ParameterizedTest
  @EnumSource(
      value = DataType.class,
      names = {"FLOAT", "DOUBLE"})
  void hugeMapsHaveTheKernelOfUsualOnes(DataType type) {
    double factor = Math.scalb(1.0, type == DataType.FLOAT ? 90 : 600);
    Nd4j.getRandom().setSeed(4);
    INDArray maps = Nd4j.randn(type, 3, 4, 9);
    INDArray huge = maps.dup();
    huge.slice(1).muli(factor); // between others of a usual size
    INDArray gradient = Nd4j.randn(type, 3, 4, 4);
    Map<String, Double> theta = Map.of(RadialKernel.LOG_BANDWIDTH, 0.3);
    for (Bandwidth width :
        List.of(
            Bandwidth.meanDistance().learnt(),
            Bandwidth.meanDistance().times(0.5).differentiated().learnt())) {
      for (Kernel kernel : List.of(new RbfKernel(width), new LaplacianKernel(width))) {
        KernelRun plain = new KernelRun(kernel, maps, theta);
        KernelRun large = new KernelRun(kernel, huge, theta);
        assertClose(large.matrix(), plain.matrix(), rounding(type));
        INDArray byMaps = large.backward(gradient);
        byMaps.slice(1).muli(factor);
        assertClose(byMaps, plain.backward(gradient), rounding(type));
        INDArray byTheta = large.byParameter(RadialKernel.LOG_BANDWIDTH);
        assertClose(byTheta, plain.byParameter(RadialKernel.LOG_BANDWIDTH), rounding(type));
      }
    }
  }

  /** The more pixels, the smaller are the maps whose squared distances overflow. */
  @Test
  void largeMapsOfManyPixelsHaveTheKernelOfUsualOnes() {
    INDArray maps = Nd4j.ones(DataType.FLOAT, 1, 2, 40_000).muli(5e16);
    maps.slice(0).getRow(1).negi();
    INDArray expected = Nd4j.ones(DataType.DOUBLE, 1, 2, 2);
    double k = Math.exp(-0.5); // their distance is the mean distance
    expected.putScalar(1, k).putScalar(2, k);
    assertClose(new KernelRun(new RbfKernel(), maps).matrix(), expected, rounding(DataType.FLOAT));
    assertClose(computed(new RbfKernel(), maps), expected, rounding(DataType.FLOAT));
  }

  /** K by the operator, not by the definition. */
  private static INDArray computed(Kernel kernel, INDArray maps) {
    DataType type = maps.dataType();
    INDArray k = Nd4j.create(type, maps.size(0), maps.size(1), maps.size(1));
    ForwardPass saved = new ForwardPass();
    saved.begin(maps, Map.of(), false);
    RadialKernels.operator(kernel, Backend.current(), type).forward(maps, 1, k, saved);
    return k;
  }

  @ParameterizedTest
  @EnumSource(
      value = DataType.class,
      names = {"FLOAT", "DOUBLE"})
  void hugeMapsAreFarApartForAFixedBandwidth(DataType type) {
    double factor = Math.scalb(1.0, type == DataType.FLOAT ? 90 : 600);
    INDArray maps = Nd4j.randn(type, 3, 4, 9);
    INDArray huge = maps.mul(factor);
    INDArray twoEqual = huge.dup();
    twoEqual.slice(1).getRow(2).assign(huge.slice(1).getRow(0));
    INDArray expected = Nd4j.zeros(type, 3, 4, 4);
    for (int b = 0; b < 3; b++) {
      expected.slice(b).assign(Nd4j.eye(4));
    }
    INDArray withTwoEqual = expected.dup();
    withTwoEqual.putScalar(new int[] {1, 0, 2}, 1).putScalar(new int[] {1, 2, 0}, 1);
    INDArray gradient = Nd4j.randn(type, 3, 4, 4);
    for (Kernel kernel :
        List.of(new RbfKernel(Bandwidth.fixed(2)), new LaplacianKernel(Bandwidth.fixed(2)))) {
      KernelRun run = new KernelRun(kernel, huge);
      assertClose(run.matrix(), expected, rounding(type));
      assertSmall(run.backward(gradient).norm2Number().doubleValue(), rounding(type));
      assertClose(new KernelRun(kernel, twoEqual).matrix(), withTwoEqual, rounding(type));
      assertClose(computed(kernel, twoEqual), withTwoEqual, rounding(type));
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = DataType.class,
      names = {"FLOAT", "DOUBLE"})
  void mapsThatAreNotFiniteAreRefused(DataType type) {
    for (double bad : new double[] {Double.NaN, Double.POSITIVE_INFINITY}) {
      for (Kernel kernel : List.of(new RbfKernel(), new LaplacianKernel(Bandwidth.fixed(2)))) {
        INDArray maps = Nd4j.randn(type, 3, 4, 9);
        maps.putScalar(new int[] {2, 1, 5}, bad);
        KernelRun run = new KernelRun(kernel, maps);
        assertThatThrownBy(() -> run.backward(Nd4j.ones(type, 3, 4, 4)))
            .isInstanceOf(NotFiniteException.class)
            .hasMessageContaining("example 2 of the batch");
      }
    }
  }
}
