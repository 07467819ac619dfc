/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.cuda;

import io.github.spd4j.acceleration.DeviceConvolutionContract;
import io.github.spd4j.internal.acceleration.DeviceLibrary;

class CudnnTest extends DeviceConvolutionContract {

  @Override
  protected DeviceLibrary library() {
    return Tested.convolutions();
  }
}
