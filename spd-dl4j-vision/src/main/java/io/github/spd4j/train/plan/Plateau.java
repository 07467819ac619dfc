/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.plan;

import java.util.Optional;
import java.util.OptionalDouble;

/**
 * Cuts the rates when the validation error makes no progress.
 *
 * <p>If the error has not become smaller than the best so far for {@code patience} epochs in a row,
 * the rates are cut and counting begins anew. When it happens once more after the last cut, the
 * stage is over.
 *
 * <p>Where nothing is validated, the cuts come at fixed times: the first after 60 % of the epochs,
 * the others evenly over the rest.
 */
public final class Plateau extends Schedule {

  private static final double FIRST_CUT = 0.6;

  private double factor;
  private int patience;
  private int maxCuts;
  private double best = Double.POSITIVE_INFINITY;
  private int waited;
  private int cuts;
  private boolean over;
  private String news;

  private Plateau() {}

  /**
   * A plateau rule before the first epoch.
   *
   * @param factor what the rate is multiplied by at a cut, between 0 and 1
   * @param patience epochs without improvement before a cut, at least 1
   * @param maxCuts how often the rate may be cut, at least 0
   * @return the rule
   */
  public static Plateau of(double factor, int patience, int maxCuts) {
    if (!(factor > 0 && factor < 1) || patience < 1 || maxCuts < 0) {
      throw new IllegalArgumentException(
          String.format(
              "expected a factor between 0 and 1, a patience of at least 1 and at least 0 cuts,"
                  + " got %s, %d and %d",
              factor, patience, maxCuts));
    }
    Plateau rule = new Plateau();
    rule.factor = factor;
    rule.patience = patience;
    rule.maxCuts = maxCuts;
    return rule;
  }

  @Override
  public Schedule after(int epoch, int most, double learnt, OptionalDouble error) {
    return error.isPresent() ? after(error.getAsDouble()) : planned((double) epoch / most);
  }

  /** After an epoch with a validation error; NaN is no progress. */
  Plateau after(double error) {
    if (over) {
      return this;
    }
    Plateau next = of(factor, patience, maxCuts);
    next.best = error < best ? error : best;
    next.waited = error < best ? 0 : waited + 1;
    next.cuts = cuts;
    if (next.waited == patience && cuts < maxCuts) {
      next.waited = 0;
      next.cut("No progress in validation");
    } else if (next.waited == patience) {
      next.over = true;
    }
    return next;
  }

  /** After a share of the epochs, 0 … 1. */
  Plateau planned(double share) {
    int due = share < FIRST_CUT ? 0 : 1 + (int) ((share - FIRST_CUT) / (1 - FIRST_CUT) * maxCuts);
    Plateau next = of(factor, patience, maxCuts);
    next.cuts = cuts;
    while (next.cuts < Math.min(due, maxCuts)) {
      next.cut("As planned");
    }
    return next;
  }

  private void cut(String reason) {
    cuts++;
    news = reason + ": rates are multiplied by " + (float) rateFactor();
  }

  /**
   * How often the rate has been cut.
   *
   * @return cuts so far
   */
  public int cuts() {
    return cuts;
  }

  @Override
  public double rateFactor() {
    return Math.pow(factor, cuts);
  }

  @Override
  public boolean isOver() {
    return over;
  }

  @Override
  public Optional<String> news() {
    return Optional.ofNullable(news);
  }

  @Override
  public String toString() {
    return String.format(
        "Plateau(factor=%s, patience=%d, maxCuts=%d, best=%s, waited=%d, cuts=%d)",
        factor, patience, maxCuts, best, waited, cuts);
  }
}
