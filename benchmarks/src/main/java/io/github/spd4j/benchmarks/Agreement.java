/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.benchmarks;

import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/** Whether two sides have computed the same. */
final class Agreement {

  /** The largest difference that is accepted, as a share of the largest entry. */
  static final double TOLERANCE = 1e-4;

  private Agreement() {}

  /**
   * Refuses arrays that differ.
   *
   * @param name what they are
   * @param ours one
   * @param theirs the other, of the same shape
   * @throws IllegalStateException if they differ by more than {@link #TOLERANCE}
   */
  static void require(String name, INDArray ours, INDArray theirs) {
    INDArray exact = ours.castTo(DataType.DOUBLE);
    INDArray other = theirs.castTo(DataType.DOUBLE);
    double size = other.amaxNumber().doubleValue();
    double difference = exact.sub(other).norm2Number().doubleValue();
    double largest = exact.subi(other).amaxNumber().doubleValue();
    // The norm tells a NaN, which the maximum passes over.
    if (!(largest <= TOLERANCE * size) || !Double.isFinite(difference)) {
      throw new IllegalStateException(
          String.format(
              "ours and PyTorch's %s differ by %.2e of the largest entry %.2e, expected at most %.0e:"
                  + " nothing was timed",
              name, largest / size, size, TOLERANCE));
    }
  }
}
