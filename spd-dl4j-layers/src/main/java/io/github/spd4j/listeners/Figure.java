/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.listeners;

import java.util.Locale;

/** What is measured of a layer. Not every layer has every figure. */
public enum Figure {

  /** ‖WᵀW − I‖ after the step: how far W is from the Stiefel manifold. */
  OFF_MANIFOLD("‖WᵀW−I‖"),

  /** The norm of ∂L/∂W, of the mean loss over the batch. */
  GRADIENT("‖∂L/∂W‖"),

  /** The norm of the part of ∂L/∂W that is tangent to the manifold, which alone moves W. */
  TANGENT_GRADIENT("tangent part"),

  /** The most feature maps that are zero everywhere, in any image of the sample. */
  DEAD_CHANNELS("dead channels"),

  /** The share of such feature maps among all of the sample. */
  DEAD_SHARE("dead share"),

  /** The mean bandwidth σ over the sample. */
  SIGMA_MEAN("σ mean"),

  /** The smallest bandwidth σ of the sample. */
  SIGMA_MIN("σ min"),

  /** The largest bandwidth σ of the sample. */
  SIGMA_MAX("σ max"),

  /** The smallest eigenvalue of any output matrix of the sample. */
  LAMBDA_MIN("λmin"),

  /** The largest eigenvalue of any output matrix of the sample. */
  LAMBDA_MAX("λmax"),

  /** The largest condition number of the sample; infinity if a matrix is not positive definite. */
  CONDITION("condition"),

  /**
   * How often a layer has to take a floor: the most eigenvalues of an input matrix of the sample
   * that it raises; the input matrices of the sample whose trace has no square root; or the
   * variances of a Gaussian mixture that were raised when it was fitted.
   */
  FLOORED("floored");

  private final String label;

  Figure(String label) {
    this.label = label;
  }

  /**
   * A short name to show.
   *
   * @return the name
   */
  public String label() {
    return label;
  }

  /**
   * A value of this figure in a few characters.
   *
   * @param value the value
   * @return the value to show
   */
  public String format(double value) {
    return format(value, this == DEAD_CHANNELS || this == FLOORED);
  }

  static String format(double value, boolean whole) {
    if (Double.isInfinite(value)) {
      return value > 0 ? "∞" : "−∞";
    }
    return String.format(Locale.ROOT, whole ? "%.0f" : "%.3g", value);
  }
}
