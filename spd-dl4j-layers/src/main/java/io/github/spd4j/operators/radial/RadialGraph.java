/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.operators.radial;

import io.github.spd4j.linalg.NumericPolicy;
import io.github.spd4j.operators.radial.Radial.Exponent;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** The definition of {@link Radial} in SameDiff. */
public final class RadialGraph {

  /** The name of the variable σ [N, 1, 1]. */
  public static final String SIGMA = "sigma";

  private RadialGraph() {}

  /**
   * Defines the kernel matrices of a batch.
   *
   * @param sd where to define them
   * @param maps F [N, C, P]
   * @param exponent which kernel
   * @param sigma how σ is found
   * @param scale what σ is multiplied by [1, 1, 1], or null
   * @param channels C
   * @param pixels P
   * @return K [N, C, C]
   */
  public static SDVariable define(
      SameDiff sd,
      SDVariable maps,
      Exponent exponent,
      Sigma sigma,
      SDVariable scale,
      long channels,
      long pixels) {
    SDVariable squared =
        SquaredDistances.define(sd, SquaredDistances.centre(maps), channels, pixels);
    SDVariable inverse = inverse(sd, squared, sigma, scale, channels);
    SDVariable e =
        exponent == Exponent.RBF
            ? squared.mul(inverse.mul(inverse).mul(-0.5))
            : sd.math().sqrt(squared).mul(inverse.mul(-1));
    return sd.math().exp(e);
  }

  /** 1/σ [N, 1, 1], or 0 where σ is not above its floor. */
  private static SDVariable inverse(
      SameDiff sd, SDVariable squared, Sigma sigma, SDVariable scale, long channels) {
    SDVariable raw;
    if (sigma.isFixed()) {
      INDArray number = Nd4j.scalar(squared.dataType(), sigma.fixedValue()).reshape(1, 1, 1);
      raw = sd.constant(number);
    } else {
      SDVariable sum = sd.math().sqrt(squared).sum(true, 1, 2);
      raw = sum.mul(sigma.meanDistanceSlope(channels));
    }
    SDVariable scaled = scale == null ? raw : raw.mul(scale);
    SDVariable usable = sd.gt(scaled, NumericPolicy.SIGMA_FLOOR).castTo(squared.dataType());
    SDVariable divisor = scaled.mul(usable).add(usable.rsub(1)).rename(SIGMA);
    return usable.div(divisor);
  }
}
