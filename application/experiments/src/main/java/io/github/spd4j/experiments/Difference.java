/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import java.util.Locale;

/**
 * How two models differ on the same images: how many only one of them has right.
 *
 * @param first how many only the first has right
 * @param other how many only the other has right
 */
public record Difference(int first, int other) {

  private static final double LEAST = 0.001;

  /**
   * McNemar's exact test.
   *
   * @return the probability of such a difference, or a larger one, if both were equally good
   */
  public double chance() {
    int all = first + other;
    double sum = 0;
    double term = -all * Math.log(2); // of the binomial distribution, as a logarithm
    for (int k = 0; k <= Math.min(first, other); k++) {
      sum += Math.exp(term);
      term += Math.log(all - k) - Math.log(k + 1);
    }
    return Math.min(1, 2 * sum);
  }

  /**
   * That probability for people.
   *
   * @return such as 0.210
   */
  public String words() {
    return chance() < LEAST ? "< 0.001" : String.format(Locale.ROOT, "%.3f", chance());
  }
}
