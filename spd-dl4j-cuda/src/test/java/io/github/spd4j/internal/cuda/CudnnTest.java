/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.cuda;

import io.github.spd4j.acceleration.DeviceConvolutionContract;
import io.github.spd4j.acceleration.LoopConvolutions;
import io.github.spd4j.internal.acceleration.DeviceLibrary;
import org.slf4j.LoggerFactory;

class CudnnTest extends DeviceConvolutionContract {

  private static final DeviceLibrary TESTED = choose();

  @Override
  protected DeviceLibrary library() {
    return TESTED;
  }

  /** cuDNN, or plain loops where it is not there, so that the tests still run. */
  private static DeviceLibrary choose() {
    DeviceLibrary library = DeviceLibrary.ofDevice().orElseGet(LoopConvolutions::new);
    LoggerFactory.getLogger(CudnnTest.class)
        .warn(
            library instanceof Cudnn
                ? "The tests run on cuDNN."
                : "There is no cuDNN: the tests run with plain loops in its place.");
    return library;
  }
}
