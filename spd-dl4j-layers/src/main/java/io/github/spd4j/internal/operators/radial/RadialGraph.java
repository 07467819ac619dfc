/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.radial;

import io.github.spd4j.internal.backend.Definitions;
import io.github.spd4j.internal.operators.radial.Radial.Exponent;
import io.github.spd4j.linalg.NumericPolicy;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** The definition of {@link Radial} in SameDiff. */
public final class RadialGraph {

  /** The name of the variable σ [N, 1, 1]. */
  public static final String SIGMA = "sigma";

  private static final double SIGMA_FLOOR = NumericPolicy.SIGMA_FLOOR;
  private static final double LN_2 = Math.log(2);

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
    SDVariable shrinking = shrinking(sd, maps, pixels);
    SDVariable centred = SquaredDistances.centre(maps.mul(shrinking));
    SDVariable squared = SquaredDistances.define(sd, centred, channels, pixels);
    SDVariable inverse = inverse(sd, squared, sigma, scale, shrinking, channels);
    switch (exponent) {
      case RBF:
        return sd.math().exp(squared.mul(inverse.mul(inverse).mul(-0.5)));
      case LAPLACIAN:
        return sd.math().exp(Definitions.root(sd, squared).mul(inverse.mul(-1)));
      default:
        throw exponent.unknown();
    }
  }

  /** What huge maps are multiplied by [N, 1, 1]: a power of two, 1 for maps of a usual size. */
  private static SDVariable shrinking(SameDiff sd, SDVariable maps, long pixels) {
    double limit = Math.sqrt(NumericPolicy.largeSquare(maps.dataType()) / pixels) / 2;
    SDVariable largest = sd.max(sd.math().abs(Definitions.held(sd, maps)), true, 1, 2);
    SDVariable huge = sd.gt(largest, limit).castTo(maps.dataType());
    SDVariable logarithm = sd.math().log(largest.mul(huge).add(huge.rsub(1))); // or 0
    return sd.math().exp(sd.math().floor(logarithm.div(LN_2)).mul(-LN_2));
  }

  /** 1/σ [N, 1, 1], or 0 where σ is not above its floor. */
  private static SDVariable inverse(
      SameDiff sd,
      SDVariable squared,
      Sigma sigma,
      SDVariable scale,
      SDVariable shrinking,
      long channels) {
    SDVariable raw;
    if (sigma.isFixed()) {
      INDArray number = Nd4j.scalar(squared.dataType(), sigma.fixedValue()).reshape(1, 1, 1);
      raw = sd.constant(number).mul(shrinking);
    } else {
      SDVariable known = sigma.isDifferentiated() ? squared : Definitions.held(sd, squared);
      SDVariable sum = Definitions.root(sd, known).sum(true, 1, 2);
      raw = sum.mul(sigma.meanDistanceSlope(channels));
    }
    SDVariable scaled = scale == null ? raw : raw.mul(scale);
    if (sigma.isFixed()) { // however small beside huge maps, it is not the σ of equal ones
      SDVariable least = sd.constant(Nd4j.scalar(squared.dataType(), 2 * SIGMA_FLOOR));
      scaled = sd.math().max(scaled, least);
    }
    SDVariable usable = sd.gt(scaled, SIGMA_FLOOR).castTo(squared.dataType());
    SDVariable divisor = Definitions.named(sd, scaled.mul(usable).add(usable.rsub(1)), SIGMA);
    return usable.div(divisor);
  }
}
