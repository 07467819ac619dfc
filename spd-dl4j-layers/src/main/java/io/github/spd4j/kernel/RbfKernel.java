/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.kernel;

import io.github.spd4j.internal.operators.radial.Radial.Exponent;
import org.nd4j.shade.jackson.annotation.JsonCreator;
import org.nd4j.shade.jackson.annotation.JsonProperty;

/**
 * {@code K_ij = exp(−‖f_i − f_j‖² / 2σ²)}, the radial basis function kernel (the paper's Eq. for
 * {@code rbfkernelfunction}).
 *
 * <p>K is positive definite whenever all maps are different, however many there are; equal maps,
 * such as two channels that a ReLU has silenced, make it singular.
 *
 * <p>Backward, with σ constant and {@code Ω = G∘K + (G∘K)ᵀ}: {@code ∂L/∂F = −(1/σ²) (diag(Ω·1) − Ω)
 * F}. The sum in the paper's gradient runs over the channels.
 */
public final class RbfKernel extends RadialKernel {

  private static final long serialVersionUID = 1L;

  /** The kernel with {@link Bandwidth#meanDistance()}. */
  public RbfKernel() {
    this(Bandwidth.meanDistance());
  }

  /**
   * The kernel with a given bandwidth.
   *
   * @param bandwidth how σ is found
   */
  @JsonCreator
  public RbfKernel(@JsonProperty("bandwidth") Bandwidth bandwidth) {
    super(bandwidth);
  }

  @Override
  Exponent exponent() {
    return Exponent.RBF;
  }
}
