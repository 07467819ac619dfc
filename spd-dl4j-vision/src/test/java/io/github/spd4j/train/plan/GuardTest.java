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
    assertThat(GUARD.withMargin(0.25).fall(0.5, 0.75, 2)).isEmpty(); // just at the bound
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
    assertThat(guard.explosion(8, 2, 3)).isEmpty(); // just at the bound
    assertThat(guard.explosion(8.1, 2, 3)).isPresent();
    assertThat(guard.explosion(2.7, 0.1, 1)).isEmpty(); // 4 ln 2 = 2.77: guessing costs something
  }

  @Test
  void notANumberIsAnExplosion() {
    assertThat(GUARD.explosion(Double.NaN, 1, 3)).isPresent();
  }

  @Test
  void aSettingChangesNothingElse() {
    Guard guard =
        Guard.standard()
            .withMargin(0)
            .withPatience(1)
            .withMaxRollbacks(0)
            .withRateFactor(1)
            .withExplosion(1.5);
    assertThat(guard.maxRollbacks()).isZero();
    assertThat(guard.rateFactor()).isEqualTo(1);
    assertThat(guard.fall(0.8, 0.9, 1)).isPresent();
    assertThat(guard.explosion(3.1, 2, 3)).isPresent();
    assertThat(Guard.standard().maxRollbacks()).isEqualTo(2);
    assertThat(Guard.standard().rateFactor()).isEqualTo(0.1);
  }

  @Test
  void refusesBadSettings() {
    assertThatThrownBy(() -> GUARD.withMaxRollbacks(-1)).hasMessageContaining("got -1");
    assertThatThrownBy(() -> GUARD.withRateFactor(0)).hasMessageContaining("got 0.0");
    assertThatThrownBy(() -> GUARD.withExplosion(1)).hasMessageContaining("got 1.0");
    assertThatThrownBy(() -> GUARD.withPatience(0))
        .hasMessageContaining("patience: expected at least");
    assertThatThrownBy(() -> GUARD.withRateFactor(2)).hasMessageContaining("got 2.0");
    assertThatThrownBy(() -> GUARD.withMargin(Double.NaN)).hasMessageContaining("got NaN");
  }
}
