/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.backend.host;

/**
 * {@code eˣ} in single precision, good to 3e-7 of its value.
 *
 * <p>x is split into k·ln 2 + r with |r| ≤ ½ ln 2; eʳ is a polynomial and 2ᵏ an exponent. It serves
 * loops that stay in Java, where ND4J's exponential would need a pass of its own.
 */
public final class FloatExp {

  /** The lowest x: below, it cannot be told any more how far it is from {@link #ZERO}. */
  public static final float LOWEST = -0x1p22f;

  private static final float ZERO = -88; // 2ᵏ is 0 here, and counts as 0 for what is below
  private static final float LOG2_E = 1.44269504f;
  private static final float LN2_HIGH = 0.693145752f;
  private static final float LN2_LOW = 1.42860677e-6f;

  /** Adding it leaves the nearest integer in the lowest bits. */
  private static final float ROUND = 0x1.8p23f;

  private static final int MANTISSA_BITS = 23;
  private static final int ONE = Float.floatToRawIntBits(1);

  private FloatExp() {}

  /**
   * Replaces numbers x by {@code exp(factor · x)}, which may be 0 below e⁻⁸⁷, is so below e⁻⁸⁸, and
   * is NaN for NaN.
   *
   * <p>The polynomial is a loop without a branch, and with one index for all arrays, so that the
   * compiler turns it into vector instructions; for the exponent it does not know any.
   *
   * @param numbers x, changed by this method
   * @param from the first
   * @param to the one after the last
   * @param factor a factor; {@code factor · x} is not greater than 0, nor less than {@link #LOWEST}
   * @param room memory, at least as long as the numbers
   */
  public static void ofNegative(float[] numbers, int from, int to, float factor, float[] room) {
    for (int i = from; i < to; i++) {
      float x = factor * numbers[i];
      float above = x - ZERO;
      float bounded = x - 0.5f * (above - Math.abs(above));
      float shifted = bounded * LOG2_E + ROUND;
      float k = shifted - ROUND;
      float r = bounded - k * LN2_HIGH - k * LN2_LOW;
      numbers[i] =
          1
              + r
                  * (1
                      + r
                          * (1 / 2f
                              + r * (1 / 6f + r * (1 / 24f + r * (1 / 120f + r * (1 / 720f))))));
      room[i] = shifted;
    }
    for (int i = from; i < to; i++) {
      int power = (Float.floatToRawIntBits(room[i]) << MANTISSA_BITS) + ONE;
      numbers[i] *= Float.intBitsToFloat(power);
    }
  }
}
