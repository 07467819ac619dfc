/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.backend.host;

/**
 * {@code eˣ} in single precision, good to 3e-7 of its value.
 *
 * <p>x is split into k·ln 2 + r with |r| ≤ ½ ln 2; eʳ is a polynomial and 2ᵏ an exponent. It serves
 * loops that stay in Java, where ND4J's exponential would need a pass of its own.
 */
public final class FloatExp {

  private static final float LOWEST = -87; // below, the result would not be a normal number
  private static final float LOG2_E = 1.44269504f;
  private static final float LN2_HIGH = 0.693145752f;
  private static final float LN2_LOW = 1.42860677e-6f;

  /** Adding it leaves the nearest integer in the lowest bits. */
  private static final float ROUND = 0x1.8p23f;

  private static final int MANTISSA_BITS = 23;
  private static final int ONE = Float.floatToRawIntBits(1);

  private FloatExp() {}

  /**
   * eˣ.
   *
   * @param x not greater than 0; below −87 it counts as −87
   * @return eˣ, or NaN for NaN
   */
  public static float ofNegative(float x) {
    float bounded = Math.max(x, LOWEST);
    float shifted = bounded * LOG2_E + ROUND;
    float k = shifted - ROUND;
    float r = bounded - k * LN2_HIGH - k * LN2_LOW;
    float series =
        1 + r * (1 + r * (1 / 2f + r * (1 / 6f + r * (1 / 24f + r * (1 / 120f + r * (1 / 720f))))));
    int power = (Float.floatToRawIntBits(shifted) << MANTISSA_BITS) + ONE;
    return series * Float.intBitsToFloat(power);
  }
}
