/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.encoding;

import java.util.List;

/** A mixture that was fitted, and how the fit went. */
public final class MixtureFit {

  private final GaussianMixture mixture;
  private final List<Double> logLikelihoods;
  private final int reseeded;
  private final boolean converged;

  MixtureFit(
      GaussianMixture mixture, List<Double> logLikelihoods, int reseeded, boolean converged) {
    this.mixture = mixture;
    this.logLikelihoods = List.copyOf(logLikelihoods);
    this.reseeded = reseeded;
    this.converged = converged;
  }

  /**
   * The mixture after the last step.
   *
   * @return a mixture of DOUBLE arrays
   */
  public GaussianMixture mixture() {
    return mixture;
  }

  /**
   * The mean log-likelihood of a descriptor, at the start and after each step; the last is that of
   * the {@link #mixture}. It never falls, but for a step that begins a component anew.
   *
   * @return mean log-likelihoods
   */
  public List<Double> logLikelihoods() {
    return logLikelihoods;
  }

  /**
   * How often a component without descriptors began anew.
   *
   * @return 0 if the data suit the number of components
   */
  public int reseeded() {
    return reseeded;
  }

  /**
   * Whether the last step gained less than the tolerance.
   *
   * @return false if the most steps were taken before
   */
  public boolean isConverged() {
    return converged;
  }

  /** One line for people. */
  @Override
  public String toString() {
    int steps = logLikelihoods.size() - 1;
    return String.format(
        "mixture after %d steps%s%s, mean log-likelihood %s",
        steps,
        converged ? "" : ", not converged",
        reseeded == 0 ? "" : ", " + reseeded + " components begun anew",
        logLikelihoods.get(steps).floatValue());
  }
}
