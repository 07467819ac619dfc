/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.backend;

/**
 * The local response normalisation of AlexNet and GoogLeNet: {@code y_i = x_i s_i^−β} with {@code
 * s_i = k + α Σ x_j²} over the channels j that are at most h away from i.
 */
public final class LocalResponse {

  private final int reach;
  private final double alpha;
  private final double beta;
  private final double k;

  /**
   * A normalisation.
   *
   * @param reach h, at least 0
   * @param alpha α
   * @param beta β
   * @param k k, above 0
   */
  public LocalResponse(int reach, double alpha, double beta, double k) {
    this.reach = reach;
    this.alpha = alpha;
    this.beta = beta;
    this.k = k;
  }

  /**
   * How far the channels are away that count.
   *
   * @return h
   */
  public int reach() {
    return reach;
  }

  /**
   * The factor of the squares.
   *
   * @return α
   */
  public double alpha() {
    return alpha;
  }

  /**
   * The exponent.
   *
   * @return β
   */
  public double beta() {
    return beta;
  }

  /**
   * What is added to the squares.
   *
   * @return k
   */
  public double k() {
    return k;
  }
}
