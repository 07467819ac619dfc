/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.benchmarks;

import io.github.spd4j.acceleration.Precision;
import java.util.Optional;

/** What convolutions make of their operands on a GPU. Matrix products are in FLOAT always. */
enum Rounding {

  /** They are taken as they are; both sides differ by the order of their sums. */
  FLOAT(Precision.FLOAT, "", TorchSide.TOLERANCE),

  /**
   * They may be rounded to ten bits of mantissa, on both sides.
   *
   * <p>An operand is then off by up to 2⁻¹¹ of itself, and an algorithm may round or not: the sides
   * need not choose the same. Each of the thirteen convolutions rounds images and weights. These 26
   * errors of either sign add up to about √26·2⁻¹¹ = 2.5e-3 of what comes out; twice that is
   * accepted.
   */
  TF32(Precision.TF32, ", TF32", 5e-3),

  /**
   * They are rounded to seven bits of mantissa, and so is what comes out: PyTorch's autocast with
   * its channels last. Three errors of up to 2⁻⁹ for each convolution add up to about √39·2⁻⁹ =
   * 1.2e-2; twice that is accepted.
   */
  MIXED(Precision.MIXED, ", mixed", 2.5e-2);

  /** What is asked for on our side. */
  final Precision precision;

  /** What the titles of rows end with. */
  final String title;

  /** The largest difference between both sides, as a share of the largest entry. */
  final double tolerance;

  Rounding(Precision precision, String title, double tolerance) {
    this.precision = precision;
    this.title = title;
    this.tolerance = tolerance;
  }

  static Rounding of(Precision precision) {
    return valueOf(precision.name());
  }

  /** Whether our side has it here. */
  boolean isThere() {
    return precision.isAvailable();
  }

  /** From now on the other side computes so. */
  void apply(Optional<TorchSide> torch) {
    torch.ifPresent(side -> side.round(this));
  }
}
