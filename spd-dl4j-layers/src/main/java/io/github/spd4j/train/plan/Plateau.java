/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.plan;

import org.nd4j.shade.jackson.annotation.JsonCreator;
import org.nd4j.shade.jackson.annotation.JsonProperty;

/**
 * Decides from the validation error when the learning rate is to be cut, and when a stage is over.
 *
 * <p>If the error has not become smaller than the best so far for {@code patience} epochs in a row,
 * the rate is cut and counting begins anew. When it happens once more after the last cut, the stage
 * is over.
 *
 * <p>Immutable: every epoch gives a new value.
 */
public final class Plateau {

  private static final double FIRST_CUT = 0.6;

  @JsonProperty private final double factor;
  @JsonProperty private final int patience;
  @JsonProperty private final int maxCuts;
  @JsonProperty private final double best;
  @JsonProperty private final int waited;
  @JsonProperty private final int cuts;
  @JsonProperty private final boolean over;

  @JsonCreator
  private Plateau(
      @JsonProperty("factor") double factor,
      @JsonProperty("patience") int patience,
      @JsonProperty("maxCuts") int maxCuts,
      @JsonProperty("best") double best,
      @JsonProperty("waited") int waited,
      @JsonProperty("cuts") int cuts,
      @JsonProperty("over") boolean over) {
    this.factor = factor;
    this.patience = patience;
    this.maxCuts = maxCuts;
    this.best = best;
    this.waited = waited;
    this.cuts = cuts;
    this.over = over;
  }

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
          "expected a factor between 0 and 1, a patience of at least 1 and at least 0 cuts, got "
              + factor
              + ", "
              + patience
              + " and "
              + maxCuts);
    }
    return new Plateau(factor, patience, maxCuts, Double.POSITIVE_INFINITY, 0, 0, false);
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
    if (error < best) {
      return new Plateau(factor, patience, maxCuts, error, 0, cuts, false);
    }
    if (waited + 1 < patience) {
      return new Plateau(factor, patience, maxCuts, best, waited + 1, cuts, false);
    }
    return cuts < maxCuts
        ? new Plateau(factor, patience, maxCuts, best, 0, cuts + 1, false)
        : new Plateau(factor, patience, maxCuts, best, waited + 1, cuts, true);
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
    return "Plateau(factor="
        + factor
        + ", patience="
        + patience
        + ", maxCuts="
        + maxCuts
        + ", best="
        + best
        + ", waited="
        + waited
        + ", cuts="
        + cuts
        + ")";
  }
}
