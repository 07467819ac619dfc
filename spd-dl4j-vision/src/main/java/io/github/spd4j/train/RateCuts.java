/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import io.github.spd4j.train.plan.TrainingPlan;
import io.github.spd4j.train.progress.EpochRecord;

/** When rates are cut, rollbacks apart. */
enum RateCuts {

  /** After epochs without progress in validation. */
  ON_PLATEAU("No progress in validation") {
    @Override
    double factor(TrainingState state, TrainingPlan plan) {
      return state.plateau().rateFactor();
    }

    @Override
    void accepted(TrainingState state, EpochRecord record) {
      state.updatePlateau(record);
    }
  },

  /** At fixed times, where nothing is validated. */
  AS_PLANNED("As planned") {
    @Override
    double factor(TrainingState state, TrainingPlan plan) {
      double share = (double) state.epoch() / plan.epochs(state.lastStage());
      return plan.plateau().plannedFactor(share);
    }

    @Override
    void accepted(TrainingState state, EpochRecord record) {} // the time alone counts
  };

  private final String reason;

  RateCuts(String reason) {
    this.reason = reason;
  }

  /** What the rates of the next epoch are multiplied by. */
  abstract double factor(TrainingState state, TrainingPlan plan);

  /** An epoch was accepted. */
  abstract void accepted(TrainingState state, EpochRecord record);

  /** Why rates are cut, for people. */
  @Override
  public String toString() {
    return reason;
  }
}
