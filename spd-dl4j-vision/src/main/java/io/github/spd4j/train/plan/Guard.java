/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.plan;

import java.util.Optional;

/**
 * Decides when an epoch is undone: when its loss is not a number or explodes, and when stage two
 * falls clearly below what stage one had reached. Immutable.
 */
public final class Guard {

  private final double margin;
  private final int patience;
  private final int maxRollbacks;
  private final double rateFactor;
  private final double explosion;

  private Guard(
      double margin, int patience, int maxRollbacks, double rateFactor, double explosion) {
    TrainingPlan.require(margin >= 0, "margin", "at least 0", margin);
    TrainingPlan.require(patience >= 1, "patience", "at least 1", patience);
    TrainingPlan.require(maxRollbacks >= 0, "maxRollbacks", "at least 0", maxRollbacks);
    TrainingPlan.require(
        rateFactor > 0 && rateFactor <= 1, "rateFactor", "more than 0 and at most 1", rateFactor);
    TrainingPlan.require(explosion > 1, "explosion", "more than 1", explosion);
    this.margin = margin;
    this.patience = patience;
    this.maxRollbacks = maxRollbacks;
    this.rateFactor = rateFactor;
    this.explosion = explosion;
  }

  /**
   * A margin of 0.05 and a patience of 2 epochs; 2 rollbacks, each to a tenth of the rates; a loss
   * explodes at 4 times its bound.
   *
   * @return the standard rule
   */
  public static Guard standard() {
    return new Guard(0.05, 2, 2, 0.1, 4);
  }

  /**
   * By how much the validation accuracy of stage two may lie below the best of stage one.
   *
   * @param margin at least 0
   * @return a rule that differs in this
   */
  public Guard withMargin(double margin) {
    return new Guard(margin, patience, maxRollbacks, rateFactor, explosion);
  }

  /**
   * How many epochs stage two has to come above that bound, from its start or from a rollback.
   *
   * @param patience at least 1
   * @return a rule that differs in this
   */
  public Guard withPatience(int patience) {
    return new Guard(margin, patience, maxRollbacks, rateFactor, explosion);
  }

  /**
   * How many rollbacks of a stage are followed by another try.
   *
   * @param maxRollbacks at least 0
   * @return a rule that differs in this
   */
  public Guard withMaxRollbacks(int maxRollbacks) {
    return new Guard(margin, patience, maxRollbacks, rateFactor, explosion);
  }

  /**
   * What the rates are multiplied by at a rollback.
   *
   * @param rateFactor more than 0 and at most 1
   * @return a rule that differs in this
   */
  public Guard withRateFactor(double rateFactor) {
    return new Guard(margin, patience, maxRollbacks, rateFactor, explosion);
  }

  /**
   * A training loss has exploded if it is more than this many times as large as the loss of
   * guessing and as that of the epoch before.
   *
   * @param explosion more than 1
   * @return a rule that differs in this
   */
  public Guard withExplosion(double explosion) {
    return new Guard(margin, patience, maxRollbacks, rateFactor, explosion);
  }

  /**
   * How many rollbacks of a stage are followed by another try.
   *
   * @return at least 0
   */
  public int maxRollbacks() {
    return maxRollbacks;
  }

  /**
   * What the rates are multiplied by at a rollback.
   *
   * @return more than 0 and at most 1
   */
  public double rateFactor() {
    return rateFactor;
  }

  /**
   * Whether an epoch exploded.
   *
   * @param loss its mean training loss
   * @param before that of the epoch before, or of the first batch if there is none
   * @param classes the number of classes
   * @return the reason to undo it, or nothing
   */
  public Optional<String> explosion(double loss, double before, int classes) {
    double guessing = Math.log(Math.max(2, classes));
    double bound = explosion * (before > guessing ? before : guessing);
    return loss <= bound
        ? Optional.empty()
        : Optional.of("the training loss is " + loss + ", expected at most " + bound);
  }

  /**
   * Whether stage two fell below stage one.
   *
   * @param accuracy its validation accuracy
   * @param reference the best of stage one, NaN if there was no stage one
   * @param epochs how many epochs it had since its start or since a rollback
   * @return the reason to undo it, or nothing
   */
  public Optional<String> fall(double accuracy, double reference, int epochs) {
    return Double.isNaN(reference) || epochs < patience || accuracy >= reference - margin
        ? Optional.empty()
        : Optional.of(
            "the validation accuracy is " + accuracy + ", that of stage one was " + reference);
  }

  @Override
  public String toString() {
    return String.format(
        "Guard(margin=%s, patience=%d, maxRollbacks=%d, rateFactor=%s, explosion=%s)",
        margin, patience, maxRollbacks, rateFactor, explosion);
  }
}
