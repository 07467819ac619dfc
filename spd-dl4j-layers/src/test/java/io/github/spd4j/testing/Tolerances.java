/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.testing;

import static org.assertj.core.api.Assertions.assertThat;

import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/** Tolerances by kind, and comparisons that a NaN fails. */
public final class Tolerances {

  /** Two ways to compute the same number in double precision. */
  public static final double ROUNDING = 1e-11;

  /** Two ways to compute the same number in single precision. */
  public static final double FLOAT_ROUNDING = 2e-5;

  /** A closed-form derivative against a central difference. */
  public static final double DERIVATIVE = 1e-6;

  /** ‖WᵀW − I‖ in single precision. */
  public static final double ON_MANIFOLD_FLOAT = 1e-5;

  /** ‖WᵀW − I‖ in double precision. */
  public static final double ON_MANIFOLD_DOUBLE = 1e-12;

  private Tolerances() {}

  /** ‖WᵀW − I‖ for a data type. */
  public static double onManifold(DataType type) {
    return type == DataType.FLOAT ? ON_MANIFOLD_FLOAT : ON_MANIFOLD_DOUBLE;
  }

  /** Rounding for a data type. */
  public static double rounding(DataType type) {
    return type == DataType.FLOAT ? FLOAT_ROUNDING : ROUNDING;
  }

  /** Asserts that two arrays have the same shape, and ‖a − b‖ is at most a share of ‖b‖. */
  public static void assertClose(INDArray actual, INDArray expected, double tolerance) {
    assertClose(actual, expected, tolerance, 0);
  }

  /** The same where terms of a known length cancel, and what is left may be their rounding. */
  public static void assertClose(
      INDArray actual, INDArray expected, double tolerance, double cancelling) {
    assertThat(actual.shape()).isEqualTo(expected.shape());
    INDArray exact = expected.castTo(DataType.DOUBLE);
    double length = Math.max(cancelling, exact.norm2Number().doubleValue());
    double difference = actual.castTo(DataType.DOUBLE).sub(exact).norm2Number().doubleValue();
    assertSmall(difference == 0 ? 0 : difference / length, tolerance);
  }

  /** Asserts that a number is at most a tolerance; NaN is not. */
  public static void assertSmall(double value, double tolerance) {
    if (!(Math.abs(value) <= tolerance)) {
      throw new AssertionError("expected at most " + tolerance + ", got " + value);
    }
  }
}
