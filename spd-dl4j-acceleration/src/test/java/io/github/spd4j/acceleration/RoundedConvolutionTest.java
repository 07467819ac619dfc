/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.acceleration;

import io.github.spd4j.internal.acceleration.DeviceLibrary;
import io.github.spd4j.internal.acceleration.DeviceLibrary.Rounding;
import org.junit.jupiter.api.Tag;

/** The tolerance is what rounding by itself brings about. */
@Tag("once")
class RoundedConvolutionTest extends DeviceConvolutionContract {

  @Override
  protected DeviceLibrary library() {
    return new LoopConvolutions(Rounding.BFLOAT16);
  }

  @Override
  protected double tolerance() {
    return tolerance(7);
  }
}
