/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.acceleration;

import io.github.spd4j.internal.acceleration.DeviceLibrary;

/** How a library of a device is called, with one that is written in plain loops. */
class DeviceConvolutionTest extends DeviceConvolutionContract {

  @Override
  protected DeviceLibrary library() {
    return new LoopConvolutions();
  }
}
