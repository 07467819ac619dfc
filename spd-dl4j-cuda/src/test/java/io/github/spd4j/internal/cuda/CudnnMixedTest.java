/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.cuda;

import io.github.spd4j.acceleration.DeviceConvolutionContract;
import io.github.spd4j.internal.acceleration.DeviceLibrary;
import io.github.spd4j.internal.acceleration.DeviceLibrary.Rounding;

class CudnnMixedTest extends DeviceConvolutionContract {

  @Override
  protected DeviceLibrary library() {
    return Tested.convolutions(Rounding.BFLOAT16);
  }

  @Override
  protected double tolerance() {
    return tolerance(7);
  }
}
