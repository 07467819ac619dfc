/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.backend.host;

import static io.github.spd4j.testing.Tolerances.assertSmall;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FloatExpTest {

  /** What its documentation promises. */
  private static final double PROMISED = 3e-7;

  @Test
  void isTheExponentialAllTheWayDown() {
    for (int i = 0; i <= 870_000; i++) {
      float x = -1e-4f * i;
      if (x >= -87) {
        assertSmall(FloatExp.ofNegative(x) / Math.exp(x) - 1, PROMISED);
      }
    }
    assertSmall(FloatExp.ofNegative(-87) / Math.exp(-87) - 1, PROMISED);
  }

  /** Equal maps have 1 in their kernel matrix, not nearly 1. */
  @Test
  void ofZeroIsOne() {
    assertThat(FloatExp.ofNegative(0f)).isEqualTo(1f);
    assertThat(FloatExp.ofNegative(-0f)).isEqualTo(1f);
  }

  @Test
  void whatIsLowerCountsAsTheLowest() {
    float lowest = FloatExp.ofNegative(-87);
    assertThat(lowest).isGreaterThanOrEqualTo(Float.MIN_NORMAL);
    for (float x : new float[] {-87.5f, -104, -1e30f, Float.NEGATIVE_INFINITY}) {
      assertThat(FloatExp.ofNegative(x)).isEqualTo(lowest);
    }
  }

  @Test
  void ofNaNIsNaN() {
    assertThat(FloatExp.ofNegative(Float.NaN)).isNaN();
  }
}
