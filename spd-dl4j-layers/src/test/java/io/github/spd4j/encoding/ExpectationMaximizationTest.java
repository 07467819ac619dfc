/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.encoding;

import static io.github.spd4j.testing.Tolerances.ROUNDING;
import static io.github.spd4j.testing.Tolerances.assertClose;
import static io.github.spd4j.testing.Tolerances.assertSmall;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.linalg.NotFiniteException;
import io.github.spd4j.linalg.NumericPolicy;
import io.github.spd4j.testing.Mixtures;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

@Tag("once")
class ExpectationMaximizationTest {

  /** Standard errors of the estimates below are about a hundredth. */
  private static final double ESTIMATE = 0.06;

  private static final double[] WEIGHTS = {0.5, 0.3, 0.2};
  private static final double[][] MEANS = {{0, 0}, {4, 0}, {0, 5}};
  private static final double[][] DEVIATIONS = {{1, 0.5}, {0.5, 1}, {0.7, 0.7}};

  /** Descriptors drawn from a mixture that is known. */
  private static INDArray drawn(int count, long seed) {
    Random random = new Random(seed);
    double[][] rows = new double[count][2];
    for (double[] row : rows) {
      double u = random.nextDouble();
      int k = u < WEIGHTS[0] ? 0 : u < WEIGHTS[0] + WEIGHTS[1] ? 1 : 2;
      for (int d = 0; d < 2; d++) {
        row[d] = MEANS[k][d] + DEVIATIONS[k][d] * random.nextGaussian();
      }
    }
    return Nd4j.createFromArray(rows);
  }

  private static ExpectationMaximization fit(int components) {
    return new ExpectationMaximization().components(components);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void recoversTheMixtureThatTheDescriptorsComeFrom(long seed) {
    MixtureFit fit = fit(3).seed(seed).tolerance(1e-7).fit(drawn(10_000, seed));
    GaussianMixture mixture = fit.mixture();
    assertThat(fit.isConverged()).isTrue();
    assertThat(fit.reseeded()).isZero();
    for (int k = 0; k < 3; k++) {
      int found = nearest(mixture, MEANS[k]);
      assertSmall(mixture.weights().getDouble(0, found) - WEIGHTS[k], ESTIMATE);
      for (int d = 0; d < 2; d++) {
        assertSmall(mixture.means().getDouble(found, d) - MEANS[k][d], ESTIMATE);
        double deviation = Math.sqrt(mixture.variances().getDouble(found, d));
        assertSmall(deviation - DEVIATIONS[k][d], ESTIMATE);
      }
    }
  }

  private static int nearest(GaussianMixture mixture, double[] mean) {
    INDArray differences = mixture.means().sub(Nd4j.createFromArray(new double[][] {mean}));
    return Nd4j.argMin(differences.norm2(1)).getInt(0);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5, 16})
  void theLogLikelihoodNeverFalls(int components) {
    Nd4j.getRandom().setSeed(components);
    INDArray rows = Nd4j.randn(DataType.DOUBLE, 500, 4);
    List<Double> told = new ArrayList<>();
    FitProgress progress =
        new FitProgress() {
          @Override
          public void iterationDone(int iteration, double meanLogLikelihood) {
            told.add(meanLogLikelihood);
            assertThat(iteration).isEqualTo(told.size());
          }
        };
    MixtureFit fit = fit(components).steps(30).tolerance(0).progress(progress).fit(rows);
    List<Double> logs = fit.logLikelihoods();
    assertThat(told).isEqualTo(logs);
    for (int i = 1; i < logs.size(); i++) {
      assertThat(logs.get(i)).isGreaterThanOrEqualTo(logs.get(i - 1) - ROUNDING);
    }
    assertSmall(logs.get(logs.size() - 1) - fit.mixture().meanLogLikelihood(rows), ROUNDING);
    assertSmall(fit.mixture().weights().sumNumber().doubleValue() - 1, ROUNDING);
  }

  @Test
  void oneComponentIsMeanAndVariance() {
    INDArray rows = drawn(200, 1);
    GaussianMixture mixture = fit(1).fit(rows).mixture();
    assertClose(mixture.means(), rows.mean(true, 0), ROUNDING);
    assertClose(mixture.variances(), rows.var(false, 0).reshape(1, 2), ROUNDING);
  }

  /** log Σ_k w_k N(y | μ_k, σ_k²) as it is written, where no exponential is too small. */
  @Test
  void logLikelihoodsAreTheirDefinition() {
    Nd4j.getRandom().setSeed(3);
    GaussianMixture mixture = Mixtures.random(3, 2);
    INDArray rows = Nd4j.randn(DataType.DOUBLE, 5, 2);
    double sum = 0;
    for (int i = 0; i < 5; i++) {
      double p = 0;
      for (int k = 0; k < 3; k++) {
        double density = mixture.weights().getDouble(0, k);
        for (int d = 0; d < 2; d++) {
          double variance = mixture.variances().getDouble(k, d);
          double distance = rows.getDouble(i, d) - mixture.means().getDouble(k, d);
          density *= Math.exp(-distance * distance / (2 * variance));
          density /= Math.sqrt(2 * Math.PI * variance);
        }
        p += density;
      }
      sum += Math.log(p);
    }
    assertSmall(mixture.meanLogLikelihood(rows) - sum / 5, ROUNDING);
  }

  /** A thousand standard deviations away every exponential is zero; their logarithms are not. */
  @Test
  void logLikelihoodsOfFarDescriptorsAreFinite() {
    GaussianMixture mixture = fit(2).fit(drawn(100, 1)).mixture();
    INDArray far = Nd4j.createFromArray(new double[][] {{1e4, -1e4}});
    assertThat(mixture.meanLogLikelihood(far)).isFinite().isLessThan(-1e6);
  }

  @Test
  void moreDescriptorsThanABlockHoldAndEitherTypeGiveTheSame() {
    INDArray rows = drawn(9_000, 4);
    GaussianMixture exact = fit(3).fit(rows).mixture();
    GaussianMixture single = fit(3).fit(rows.castTo(DataType.FLOAT)).mixture();
    assertClose(single.means(), exact.means(), 1e-4);
    assertThat(single.means().dataType()).isEqualTo(DataType.DOUBLE);
  }

  @Test
  void theSeedDecides() {
    INDArray rows = drawn(300, 5);
    INDArray means = fit(5).steps(2).seed(1).fit(rows).mixture().means();
    assertThat(fit(5).steps(2).seed(1).fit(rows).mixture().means()).isEqualTo(means);
    assertThat(fit(5).steps(2).seed(2).fit(rows).mixture().means()).isNotEqualTo(means);
  }

  /** As many components as descriptors: each would shrink to a point. */
  @Test
  void variancesHaveAFloor() {
    INDArray rows = drawn(4, 6);
    double largest = rows.var(false, 0).maxNumber().doubleValue();
    GaussianMixture mixture = fit(4).fit(rows).mixture();
    double floor = NumericPolicy.VARIANCE_FLOOR * largest;
    assertThat(mixture.variances().minNumber().doubleValue())
        .isGreaterThanOrEqualTo(floor * (1 - 1e-9));
    assertThat(mixture.variances().minNumber().doubleValue()).isLessThan(2 * floor);
  }

  @Test
  void aDimensionWithoutVarianceDoesNoHarm() {
    INDArray rows = Nd4j.concat(1, drawn(500, 7), Nd4j.ones(DataType.DOUBLE, 500, 1));
    MixtureFit fit = fit(3).fit(rows);
    assertThat(fit.logLikelihoods()).allMatch(Double::isFinite);
  }

  @Test
  void anEmptyComponentBeginsAnewAndIsCounted() {
    INDArray rows = drawn(2_000, 8);
    INDArray means = Nd4j.createFromArray(new double[][] {{0, 0}, {1e6, 0}, {-1e6, 1e6}});
    GaussianMixture bad =
        new GaussianMixture(
            Nd4j.createFromArray(new double[][] {{0.4, 0.3, 0.3}}),
            means,
            Nd4j.ones(DataType.DOUBLE, 3, 2));
    List<Integer> told = new ArrayList<>();
    FitProgress progress =
        new FitProgress() {
          @Override
          public void componentReseeded(int component) {
            told.add(component);
          }
        };
    MixtureFit fit = fit(3).progress(progress).improve(bad, rows);
    assertThat(told).startsWith(1, 2).hasSize(fit.reseeded());
    assertThat(fit.isConverged()).isTrue();
    assertThat(fit.mixture().means().amaxNumber().doubleValue()).isLessThan(10);
    assertThat(fit.mixture().weights().minNumber().doubleValue()).isGreaterThan(0.01);
  }

  @Test
  void saysIfItWasStoppedBeforeItConverged() {
    MixtureFit stopped = fit(3).steps(2).tolerance(0).fit(drawn(300, 10));
    assertThat(stopped.isConverged()).isFalse();
    assertThat(stopped.logLikelihoods()).hasSize(3);
    assertThat(stopped.toString()).contains("after 2 steps, not converged");
    MixtureFit converged = fit(3).tolerance(1).fit(drawn(300, 10));
    assertThat(converged.isConverged()).isTrue();
    assertThat(converged.toString()).doesNotContain("not converged").doesNotContain("begun anew");
    MixtureFit begunAnew = new MixtureFit(converged.mixture(), List.of(-2.0), 3, true);
    assertThat(begunAnew.toString()).contains("3 components begun anew").contains("-2.0");
  }

  @Test
  void refusesWhatCannotBeFitted() {
    assertThatThrownBy(() -> fit(4).fit(drawn(3, 1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "descriptors: expected [n, D], at least as many as the 4 components, got shape [3, 2]");
    assertThatThrownBy(() -> fit(2).fit(Nd4j.ones(DataType.FLOAT, 9, 3).muli(0.1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("descriptors: expected different ones, got all equal ones");
    INDArray twoPlaces = Nd4j.concat(0, Nd4j.ones(5, 2), Nd4j.zeros(5, 2));
    assertThatThrownBy(() -> fit(3).fit(twoPlaces))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("descriptors: expected at least 3 different ones, got 2");
    assertThatThrownBy(() -> fit(2).fit(drawn(9, 1).putScalar(3, Double.NaN)))
        .isInstanceOf(NotFiniteException.class)
        .hasMessageContaining("descriptors: expected finite ones");
    assertThatThrownBy(() -> fit(0)).hasMessage("components: expected at least 1, got 0");
    assertThatThrownBy(() -> fit(1).steps(0)).hasMessage("steps: expected at least 1, got 0");
    assertThatThrownBy(() -> fit(1).tolerance(Double.NaN)).hasMessageContaining("got NaN");
    INDArray matrix = Nd4j.ones(2, 3);
    assertThatThrownBy(() -> new GaussianMixture(Nd4j.ones(1, 3), matrix, matrix))
        .hasMessageContaining("weights: expected one for each of");
  }

  @Test
  void descriptorsAreNotChanged() {
    INDArray rows = drawn(100, 9);
    INDArray copy = rows.dup();
    fit(3).fit(rows);
    assertThat(rows).isEqualTo(copy);
  }
}
