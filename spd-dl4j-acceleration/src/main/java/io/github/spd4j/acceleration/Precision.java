/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.acceleration;

import io.github.spd4j.internal.acceleration.DeviceLibrary.Rounding;
import java.util.Locale;
import java.util.Optional;

/**
 * How exactly the convolutions of a FLOAT network multiply on an NVIDIA card.
 *
 * <p>Parameters, activations, sums, gradients of parameters, updaters, all other layers, losses and
 * the classifier's fit stay as they are. Anything else than {@link #FLOAT} needs {@code
 * spd-dl4j-cuda}, cuDNN 8, and a card of compute capability 8.0; without them convolutions compute
 * in FLOAT, and a line in the log says so.
 */
public enum Precision {

  /** With 23 bits of mantissa: the default. */
  FLOAT(null),

  /** Operands of convolutions may be rounded to ten bits of mantissa. */
  TF32(Rounding.TF32),

  /**
   * Convolutions take and make BFLOAT16 numbers: seven bits of mantissa, with FLOAT's exponents, so
   * that no gradient vanishes and no loss needs a scale.
   */
  MIXED(Rounding.BFLOAT16);

  private final Rounding rounding;

  Precision(Rounding rounding) {
    this.rounding = rounding;
  }

  /** What a library may make of operands; nothing in FLOAT. */
  Optional<Rounding> rounding() {
    return Optional.ofNullable(rounding);
  }

  /**
   * Whether convolutions can compute so here.
   *
   * @return false where they would compute in FLOAT instead
   */
  public boolean isAvailable() {
    return rounding == null || NativeLibrary.rounded(rounding).isPresent();
  }

  /** The word on a command line, in lower case. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
