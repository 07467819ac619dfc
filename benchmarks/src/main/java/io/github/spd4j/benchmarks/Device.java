/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.benchmarks;

import org.nd4j.linalg.api.ops.executioner.OpExecutioner.ExecutionerType;
import org.nd4j.linalg.factory.Nd4j;

/** Where both sides compute: where ND4J's backend does. */
final class Device {

  private Device() {}

  static boolean isGpu() {
    return Nd4j.getExecutioner().type() == ExecutionerType.CUDA;
  }

  /** What PyTorch calls it. */
  static String torchName() {
    return isGpu() ? "cuda" : "cpu";
  }

  /** Waits until everything is computed. */
  static void synchronize() {
    Nd4j.getExecutioner().commit();
  }
}
