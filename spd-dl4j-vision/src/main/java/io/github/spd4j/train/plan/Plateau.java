/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.plan;

import org.nd4j.shade.jackson.annotation.JsonAutoDetect;
import org.nd4j.shade.jackson.annotation.JsonAutoDetect.Visibility;

/**
 * Decides from the validation error when the learning rate is to be cut, and when a stage is over.
 *
 * <p>If the error has not become smaller than the best so far for {@code patience} epochs in a row,
 * the rate is cut and counting begins anew. When it happens once more after the last cut, the stage
 * is over.
 *
 * <p>Immutable: every epoch gives a new value.
 */
@JsonAutoDetect(fieldVisibility = Visibility.ANY)
public final class Plateau {

  private static final double FIRST_CUT = 0.6;

  private double factor;
  private int patience;
  private int maxCuts;
  private double best = Double.POSITIVE_INFINITY;
  private int waited;
  private int cuts;
  private boolean over;

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

  /**
   * The rule after one more epoch.
   *
   * @param error the validation error of that epoch; NaN is no improvement
   * @return what follows
   */
  public Plateau after(double error) {
    if (over) {
      return this;
    }
    Plateau next = of(factor, patience, maxCuts);
    next.best = error < best ? error : best;
    next.waited = error < best ? 0 : waited + 1;
    next.cuts = cuts;
    if (next.waited == patience && cuts < maxCuts) {
      next.waited = 0;
      next.cuts++;
    } else if (next.waited == patience) {
      next.over = true;
    }
    return next;
  }

  /**
   * How often the rate has been cut.
   *
   * @return cuts so far
   */
  public int cuts() {
    return cuts;
  }

  /**
   * What the rate at the start is to be multiplied by.
   *
   * @return the factor, to the power of the cuts
   */
  public double rateFactor() {
    return Math.pow(factor, cuts);
  }

  /**
   * What the rate is to be multiplied by where nothing is validated: the cuts then come at fixed
   * times, the first after 60 % of the epochs, the others evenly over the rest.
   *
   * @param share the share of the epochs that is over, 0 … 1
   * @return the factor, to the power of the cuts
   */
  public double plannedFactor(double share) {
    int due = share < FIRST_CUT ? 0 : 1 + (int) ((share - FIRST_CUT) / (1 - FIRST_CUT) * maxCuts);
    return Math.pow(factor, Math.min(due, maxCuts));
  }

  /**
   * Whether nothing more is to be expected of the stage.
   *
   * @return true after a plateau that follows the last cut
   */
  public boolean over() {
    return over;
  }

  @Override
  public String toString() {
    return String.format(
        "Plateau(factor=%s, patience=%d, maxCuts=%d, best=%s, waited=%d, cuts=%d)",
        factor, patience, maxCuts, best, waited, cuts);
  }
}
