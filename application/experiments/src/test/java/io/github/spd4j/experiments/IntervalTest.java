/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class IntervalTest {

  /** Both bounds p solve (share − p)² = z² p (1 − p) / n, which is how Wilson defines them. */
  @Test
  void theBoundsSolveWilsonsEquation() {
    for (int right : new int[] {0, 1, 7, 39, 40}) {
      Interval interval = Interval.of(right, 40);
      for (double p : new double[] {interval.low(), interval.high()}) {
        double distance = Math.pow(right / 40.0 - p, 2);
        assertThat(distance).isCloseTo(1.959964 * 1.959964 * p * (1 - p) / 40, within(1e-12));
      }
    }
  }

  @Test
  void allRightOfFewIsNotCertain() {
    assertThat(Interval.of(10, 10)).hasToString("72.2 to 100.0 %");
    assertThat(Interval.of(0, 10)).hasToString("0.0 to 27.8 %");
  }

  @Test
  void whereAllOrNoneAreRightTheBoundIsThat() {
    for (int all = 1; all <= 200; all++) {
      assertThat(Interval.of(all, all).high()).isEqualTo(1);
      assertThat(Interval.of(0, all).low()).isEqualTo(0);
    }
  }

  @Test
  void timesAreSaidAsAPersonWould() {
    assertThat(TimeEstimate.words(3)).isEqualTo("10 seconds");
    assertThat(TimeEstimate.words(44)).isEqualTo("40 seconds");
    assertThat(TimeEstimate.words(70)).isEqualTo("1 minute");
    assertThat(TimeEstimate.words(250)).isEqualTo("4 minutes");
    assertThat(TimeEstimate.words(5400)).isEqualTo("1.5 hours");
  }
}
