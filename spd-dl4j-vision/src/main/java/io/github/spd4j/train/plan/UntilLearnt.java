/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.plan;

import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * The rates stay as they are until the training images are learnt, and then fall to nothing along
 * half a cosine. A head that still learns goes on; one that does not stops.
 *
 * <p>The fall begins after the first epoch
 *
 * <ul>
 *   <li>that has 99 % of the training images right, as they were answered before each step,
 *   <li>or that is the fifth in a row without a new best validation error, if that is measured,
 *   <li>or after which no more epochs are left than the fall takes: six, and of fewer than 18
 *       epochs a third.
 * </ul>
 */
public final class UntilLearnt extends Schedule {

  private static final double LEARNT = 0.99;
  private static final int PATIENCE = 5;
  private static final int FALL = 6;
  private static final int SHARE = 3;

  private double best = Double.POSITIVE_INFINITY;
  private int waited;

  /** Epochs of the fall; 0 before it. */
  private int fall;

  /** Epochs of the fall that are over. */
  private int fallen;

  private String news;

  private UntilLearnt() {}

  /**
   * The schedule before the first epoch.
   *
   * @return full rates
   */
  public static UntilLearnt start() {
    return new UntilLearnt();
  }

  @Override
  public Schedule after(int epoch, int most, double learnt, OptionalDouble error) {
    Objects.requireNonNull(error, "error");
    UntilLearnt next = new UntilLearnt();
    if (fall > 0) {
      next.fall = fall;
      next.fallen = fallen + 1;
      return next;
    }
    boolean progress = error.isEmpty() || error.getAsDouble() < best;
    next.best = progress ? error.orElse(best) : best;
    next.waited = progress ? 0 : waited + 1;
    int due = Math.min(FALL, most / SHARE);
    Optional<String> reason = next.reason(learnt, most - epoch <= due);
    if (reason.isPresent() && due > 0 && epoch < most) {
      next.fall = Math.min(due, most - epoch); // less, if epochs were undone
      next.news = reason.get() + ": rates fall to nothing over " + epochs(next.fall);
    }
    return next;
  }

  private static String epochs(int number) {
    return number == 1 ? "one epoch" : number + " epochs";
  }

  private Optional<String> reason(double learnt, boolean isLast) {
    if (learnt >= LEARNT) {
      return Optional.of(
          String.format(Locale.ROOT, "%.1f %% of the training images are learnt", 100 * learnt));
    }
    if (waited >= PATIENCE) {
      return Optional.of("No progress in validation for " + epochs(PATIENCE));
    }
    return isLast ? Optional.of("As planned") : Optional.empty();
  }

  @Override
  public double rateFactor() {
    int epoch = Math.min(fallen, fall - 1); // whoever trains on does so as in the last epoch
    return fall == 0 ? 1 : (1 + Math.cos(Math.PI * (epoch + 0.5) / fall)) / 2;
  }

  @Override
  public boolean isOver() {
    return fall > 0 && fallen == fall;
  }

  @Override
  public Optional<String> news() {
    return Optional.ofNullable(news);
  }

  @Override
  public String toString() {
    return fall == 0
        ? "until learnt"
        : "until learnt, epoch " + fallen + " of the fall over " + fall;
  }
}
