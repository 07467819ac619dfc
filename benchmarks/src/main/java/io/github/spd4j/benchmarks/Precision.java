/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.benchmarks;

import java.util.Optional;

/** What convolutions make of their operands on a GPU. Matrix products are in FLOAT always. */
enum Precision {

  /** They are taken as they are; both sides differ by the order of their sums. */
  FLOAT("", TorchSide.TOLERANCE),

  /**
   * They may be rounded to ten bits of mantissa, on both sides.
   *
   * <p>An operand is then off by up to 2⁻¹¹ of itself, and an algorithm may round or not: the sides
   * need not choose the same. Each of the thirteen convolutions rounds images and weights. These 26
   * errors of either sign add up to about √26·2⁻¹¹ = 2.5e-3 of what comes out; twice that is
   * accepted.
   */
  TF32(", TF32", 5e-3);

  /** What lets cuDNN round on our side. It is asked for at every convolution. */
  static final String PROPERTY = "spd4j.cudnn.tf32";

  /** What the titles of rows end with. */
  final String title;

  /** The largest difference between both sides, as a share of the largest entry. */
  final double tolerance;

  Precision(String title, double tolerance) {
    this.title = title;
    this.tolerance = tolerance;
  }

  /** From now on both sides compute so. */
  void apply(Optional<TorchSide> torch) {
    System.setProperty(PROPERTY, String.valueOf(this == TF32));
    torch.ifPresent(side -> side.allowTf32(this == TF32));
  }
}
