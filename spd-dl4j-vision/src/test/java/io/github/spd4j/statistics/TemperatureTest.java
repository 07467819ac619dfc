/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("once")
class TemperatureTest {

  private static final int CLASSES = 4;
  private static final int EXAMPLES = 5_000;

  private final Random random = new Random(3);

  /** Classes are drawn with probabilities of which a classifier says too much or too little. */
  @ParameterizedTest
  @ValueSource(doubles = {0.5, 1, 2.5})
  void findsByHowMuchAClassifierIsWrong(double temperature) {
    double[][] said = new double[EXAMPLES][];
    int[] labels = new int[EXAMPLES];
    for (int i = 0; i < EXAMPLES; i++) {
      double[] right = probabilities();
      labels[i] = draw(right);
      said[i] = Temperature.apply(1 / temperature, right);
    }
    assertThat(Temperature.fit(said, labels)).isCloseTo(temperature, within(0.05 * temperature));
  }

  private double[] probabilities() {
    double[] shares = new double[CLASSES];
    double sum = 0;
    for (int k = 0; k < CLASSES; k++) {
      shares[k] = Math.exp(2 * random.nextGaussian());
      sum += shares[k];
    }
    for (int k = 0; k < CLASSES; k++) {
      shares[k] /= sum;
    }
    return shares;
  }

  private int draw(double... shares) {
    double left = random.nextDouble();
    int k = 0;
    while (k < CLASSES - 1 && left >= shares[k]) {
      left -= shares[k++];
    }
    return k;
  }

  /** (0.8, 0.2) to the power of 1/2 is in the ratio of 2 to 1. */
  @Test
  void takesThePowerOfProbabilities() {
    assertThat(Temperature.apply(2, 0.8, 0.2))
        .containsExactly(new double[] {2.0 / 3, 1.0 / 3}, within(1e-12));
    assertThat(Temperature.apply(1, 0.3, 0.7)).containsExactly(0.3, 0.7);
  }

  @Test
  void whoIsAlwaysRightStaysFinite() {
    double[][] sure = {{1, 0}, {0, 1}, {1, 0}};
    double temperature = Temperature.fit(sure, 0, 1, 0);
    assertThat(temperature).isBetween(1.0, 20.0);
    assertThat(Temperature.apply(temperature, 1, 0)[0]).isBetween(0.5, 1.0);
    assertThat(Temperature.fit(new double[][] {{1, 0}}, 1)).isCloseTo(20, within(1e-9));
  }

  @Test
  void refusesWhatDoesNotFit() {
    assertThatThrownBy(() -> Temperature.fit(new double[][] {{1, 0}}))
        .hasMessageContaining("got 0 labels of 1 examples");
    assertThatThrownBy(() -> Temperature.fit(new double[][] {{1, 0}}, 2))
        .hasMessageContaining("labels: expected 0 to 1, got 2");
    assertThatThrownBy(() -> Temperature.apply(0, 1, 0)).hasMessageContaining("above 0, got 0.0");
    for (double wrong : new double[] {Double.NaN, -0.1, Double.POSITIVE_INFINITY}) {
      assertThatThrownBy(() -> Temperature.fit(new double[][] {{1, 0}, {wrong, 0}}, 0, 1))
          .hasMessage("probabilities: expected finite ones from 0, got " + wrong);
      for (double temperature : new double[] {1, 2}) {
        assertThatThrownBy(() -> Temperature.apply(temperature, 1, wrong))
            .hasMessage("probabilities: expected finite ones from 0, got " + wrong);
      }
    }
    assertThatThrownBy(() -> Temperature.fit(new double[][] {{}}, 0))
        .hasMessageContaining("probabilities: expected");
    assertThatThrownBy(() -> Temperature.fit(new double[][] {null}, 0))
        .hasMessageContaining("probabilities");
  }
}
