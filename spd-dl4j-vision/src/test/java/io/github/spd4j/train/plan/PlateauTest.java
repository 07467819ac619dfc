/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.nd4j.shade.jackson.databind.ObjectMapper;

/** When rates are cut for want of progress. */
class PlateauTest {

  private static Plateau after(Plateau plateau, double... errors) {
    Plateau next = plateau;
    for (double error : errors) {
      next = next.after(error);
    }
    return next;
  }

  @Test
  void cutsAfterAsManyEpochsWithoutImprovementAsItHasPatience() {
    Plateau plateau = after(Plateau.of(0.1, 2, 1), 0.5, 0.5);
    assertThat(plateau.cuts()).isZero();
    assertThat(plateau.rateFactor()).isEqualTo(1);
    plateau = plateau.after(0.6);
    assertThat(plateau.cuts()).isEqualTo(1);
    assertThat(plateau.rateFactor()).isEqualTo(0.1);
    assertThat(plateau.isOver()).isFalse();
  }

  @Test
  void anImprovementBeginsTheCountAnew() {
    assertThat(after(Plateau.of(0.1, 2, 1), 0.5, 0.5, 0.4, 0.4, 0.3, 0.3).cuts()).isZero();
  }

  @Test
  void aCutBeginsTheCountAnewButKeepsTheBest() {
    Plateau cut = after(Plateau.of(0.1, 2, 2), 0.3, 0.4, 0.4);
    assertThat(cut.cuts()).isEqualTo(1);
    assertThat(cut.after(0.35).cuts()).isEqualTo(1);
    assertThat(after(cut, 0.35, 0.35).cuts()).isEqualTo(2);
  }

  @Test
  void isOverWithThePlateauAfterTheLastCut() {
    Plateau plateau = after(Plateau.of(0.1, 1, 1), 0.5, 0.5);
    assertThat(plateau.cuts()).isEqualTo(1);
    assertThat(plateau.isOver()).isFalse();
    plateau = plateau.after(0.5);
    assertThat(plateau.isOver()).isTrue();
    assertThat(plateau.after(0.1)).isSameAs(plateau);
  }

  @Test
  void notANumberIsNoImprovement() {
    assertThat(after(Plateau.of(0.1, 2, 1), 0.5, Double.NaN, Double.NaN).cuts()).isEqualTo(1);
  }

  @Test
  void isUnchangedByAnEpoch() {
    Plateau plateau = Plateau.of(0.1, 1, 1);
    plateau.after(0.5).after(0.5);
    assertThat(plateau.cuts()).isZero();
  }

  @Test
  void comesBackFromJson() throws Exception {
    Plateau plateau = after(Plateau.of(0.1, 2, 3), 0.5, 0.5, 0.5, 0.5);
    ObjectMapper json = new ObjectMapper();
    Plateau back = json.readValue(json.writeValueAsString(plateau), Plateau.class);
    assertThat(back.toString()).isEqualTo(plateau.toString());
    Plateau fresh = Plateau.of(0.1, 2, 3); // its best is infinite
    assertThat(json.readValue(json.writeValueAsString(fresh), Plateau.class).toString())
        .isEqualTo(fresh.toString());
  }

  @Test
  void refusesBadSettings() {
    assertThatThrownBy(() -> Plateau.of(1, 2, 3)).hasMessageContaining("got 1.0, 2 and 3");
    assertThatThrownBy(() -> Plateau.of(0.1, 0, 3)).hasMessageContaining("patience of at least 1");
  }
}
