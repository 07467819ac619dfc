/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** When epochs are undone. */
class GuardTest {

  private static final Guard GUARD = Guard.standard().withMargin(0.1).withPatience(2);

  @Test
  void aFallNeedsAMarginAndPatience() {
    assertThat(GUARD.fall(0.5, 0.9, 1)).isEmpty();
    assertThat(GUARD.fall(0.85, 0.9, 2)).isEmpty();
    assertThat(GUARD.fall(0.5, 0.9, 2)).hasValueSatisfying(r -> assertThat(r).contains("0.5"));
  }

  @Test
  void withoutStageOneThereIsNoFall() {
    assertThat(GUARD.fall(0, Double.NaN, 9)).isEmpty();
  }

  @Test
  void aLossExplodesAgainstGuessingAndAgainstTheEpochBefore() {
    Guard guard = GUARD.withExplosion(4);
    assertThat(guard.explosion(4.3, Double.NaN, 3)).isEmpty(); // 4 ln 3 = 4.39
    assertThat(guard.explosion(4.5, Double.NaN, 3)).isPresent();
    assertThat(guard.explosion(4.5, 2, 3)).isEmpty();
    assertThat(guard.explosion(4.5, 0.1, 3)).isPresent();
  }

  @Test
  void notANumberIsAnExplosion() {
    assertThat(GUARD.explosion(Double.NaN, 1, 3)).isPresent();
  }

  @Test
  void refusesBadSettings() {
    assertThatThrownBy(() -> GUARD.withPatience(0))
        .hasMessageContaining("patience: expected at least");
    assertThatThrownBy(() -> GUARD.withRateFactor(2)).hasMessageContaining("got 2.0");
    assertThatThrownBy(() -> GUARD.withMargin(Double.NaN)).hasMessageContaining("got NaN");
  }
}
