/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.radial;

import io.github.spd4j.linalg.NumericPolicy;

/** How the bandwidth σ of a radial kernel is found. */
public final class Sigma {

  private final Double fixed;
  private final double factor;
  private final boolean differentiated;

  /**
   * A bandwidth.
   *
   * @param fixed σ, or null for the mean distance of an image's maps
   * @param factor what either is multiplied by
   * @param differentiated whether the backward pass goes through σ
   */
  public Sigma(Double fixed, double factor, boolean differentiated) {
    this.fixed = fixed;
    this.factor = factor;
    this.differentiated = differentiated;
  }

  /**
   * Whether σ is the same for all images.
   *
   * @return false for a multiple of the mean distance of an image's maps
   */
  public boolean isFixed() {
    return fixed != null;
  }

  /**
   * A fixed σ.
   *
   * @return σ
   */
  public double fixedValue() {
    return fixed * factor;
  }

  /**
   * {@code ∂σ/∂d_ij} of a mean distance: the same for all pairs.
   *
   * @param channels C
   * @return the slope, by which the sum of all distances is multiplied to give σ
   */
  public double meanDistanceSlope(long channels) {
    return factor / Math.max(1, channels * (channels - 1));
  }

  /**
   * Whether the backward pass goes through σ.
   *
   * @return false if σ counts as constant
   */
  public boolean isDifferentiated() {
    return differentiated;
  }

  /**
   * 1/σ of one image.
   *
   * @param sumOfDistances the sum over all pairs, each counted twice
   * @param channels C
   * @param scale what σ is multiplied by
   * @param shrinking what the maps were multiplied by, 1 or less: then 1/σ is that of these maps
   * @return 1/σ, or 0 where σ is not above its floor: there all maps are equal
   */
  public double inverse(double sumOfDistances, long channels, double scale, double shrinking) {
    double floor = NumericPolicy.SIGMA_FLOOR;
    if (isFixed()) { // however small beside huge maps, it is not the σ of equal ones
      return 1 / Math.max(scale * fixedValue() * shrinking, 2 * floor);
    }
    return NumericPolicy.inverse(scale * sumOfDistances * meanDistanceSlope(channels), floor);
  }
}
