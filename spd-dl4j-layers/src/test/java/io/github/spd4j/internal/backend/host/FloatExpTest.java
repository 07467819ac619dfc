/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.backend.host;

import static io.github.spd4j.testing.Tolerances.assertSmall;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FloatExpTest {

  /** What its documentation promises. */
  private static final double PROMISED = 3e-7;

  private static float[] of(float factor, float... numbers) {
    float[] results = numbers.clone();
    FloatExp.ofNegative(results, 0, results.length, factor, new float[results.length]);
    return results;
  }

  @Test
  void isTheExponentialAllTheWayDown() {
    float[] numbers = new float[870_001];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = Math.min(1e-4f * i, 87);
    }
    float[] results = of(-1, numbers);
    for (int i = 0; i < numbers.length; i++) {
      assertSmall(results[i] / Math.exp(-numbers[i]) - 1, PROMISED);
    }
  }

  /** Equal maps have 1 in their kernel matrix, not nearly 1. */
  @Test
  void ofZeroIsOne() {
    assertThat(of(1, 0f, -0f)).containsExactly(1, 1);
    assertThat(of(-0.3f, 0f)).containsExactly(1);
  }

  @Test
  void whatIsTooLowForANormalNumberIsZero() {
    float[] low = {-88, -88.5f, -104, -1e3f, -1e5f, -1234567.8f, FloatExp.LOWEST};
    assertThat(of(1, low)).containsOnly(0);
    assertThat(of(0x1p-10f, -0x1p32f)).containsExactly(0);
  }

  @Test
  void leavesOthersAlone() {
    float[] numbers = {-1, -2, -3, -4};
    FloatExp.ofNegative(numbers, 1, 3, 1, new float[4]);
    assertThat(numbers).startsWith(-1).endsWith(-4).doesNotContain(-2, -3);
  }

  @Test
  void ofNaNIsNaN() {
    assertThat(of(1, Float.NaN)[0]).isNaN();
  }
}
