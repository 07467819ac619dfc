/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.kernel;

import io.github.spd4j.internal.operators.radial.Radial.Exponent;
import org.nd4j.shade.jackson.annotation.JsonCreator;
import org.nd4j.shade.jackson.annotation.JsonProperty;

/**
 * {@code K_ij = exp(−‖f_i − f_j‖ / σ)}, the Laplacian kernel with the Euclidean norm.
 *
 * <p>K is positive definite whenever all maps are different. Compared with {@link RbfKernel} it
 * falls off faster for near maps and slower for far ones. It is not differentiable where two maps
 * are equal; the derivative is taken as 0 there.
 */
public final class LaplacianKernel extends RadialKernel {

  private static final long serialVersionUID = 1L;

  /** The kernel with {@link Bandwidth#meanDistance()}. */
  public LaplacianKernel() {
    this(Bandwidth.meanDistance());
  }

  /**
   * The kernel with a given bandwidth.
   *
   * @param bandwidth how σ is found
   */
  @JsonCreator
  public LaplacianKernel(@JsonProperty("bandwidth") Bandwidth bandwidth) {
    super(bandwidth);
  }

  @Override
  Exponent exponent() {
    return Exponent.LAPLACIAN;
  }
}
