/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.cuda;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.spd4j.internal.acceleration.DeviceLibrary;
import io.github.spd4j.internal.acceleration.DeviceLibrary.Rounding;
import io.github.spd4j.internal.backend.Algebra;
import io.github.spd4j.internal.backend.Backend;
import java.util.Optional;
import org.nd4j.linalg.api.ops.executioner.OpExecutioner.ExecutionerType;
import org.nd4j.linalg.factory.Nd4j;

/**
 * What the tests of this module test. They are skipped where it is not there: the contracts run on
 * every machine with ND4J's own algebra and with plain loops, in the modules that they come from.
 */
final class Tested {

  private static final Optional<Algebra> ALGEBRA = Backend.device();
  private static final Optional<DeviceLibrary> CONVOLUTIONS = DeviceLibrary.ofDevice();

  private Tested() {}

  /** The device's library, which ND4J's CUDA backend must have. */
  static Algebra algebra() {
    assumeTrue(Nd4j.getExecutioner().type() == ExecutionerType.CUDA, "needs a card");
    return ALGEBRA.orElseThrow();
  }

  /** The device's convolutions. */
  static DeviceLibrary convolutions() {
    assumeTrue(CONVOLUTIONS.isPresent(), "needs a card and cuDNN");
    return CONVOLUTIONS.orElseThrow();
  }

  /** Those with rounded operands. */
  static DeviceLibrary convolutions(Rounding rounding) {
    Optional<DeviceLibrary> rounded = convolutions().rounding(rounding);
    assumeTrue(rounded.isPresent(), "needs tensor cores");
    return rounded.orElseThrow();
  }
}
