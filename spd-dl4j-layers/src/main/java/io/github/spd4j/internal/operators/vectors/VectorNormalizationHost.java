/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.vectors;

import io.github.spd4j.internal.backend.host.FloatMatrices;
import io.github.spd4j.linalg.NumericPolicy;

/** {@link VectorNormalization} of one vector in a Java array. */
final class VectorNormalizationHost {

  private final boolean power;
  private final float floor;
  private final boolean l2;
  private final float scale;

  VectorNormalizationHost(VectorNormalization normalization) {
    this.power = normalization.isPowerNormalization();
    this.floor = (float) normalization.getPowerFloor();
    this.l2 = normalization.isL2Normalization();
    this.scale = (float) normalization.getScale();
  }

  /** Multiplies a vector. */
  static void scale(float[] vector, int length, float factor) {
    for (int k = 0; k < length; k++) {
      vector[k] *= factor;
    }
  }

  /** Replaces v by u, if there is a power normalisation. */
  void power(float[] vector, int length) {
    if (power) {
      float squaredFloor = floor * floor;
      for (int k = 0; k < length; k++) {
        vector[k] /= floor + (float) Math.sqrt(Math.abs(vector[k]) + squaredFloor);
      }
    }
  }

  /** Replaces u by the output. */
  void finish(float[] u, int length) {
    scale(u, length, l2 ? scale * inverse(norm(u, length)) : scale);
  }

  private static double norm(float[] vector, int length) {
    return Math.sqrt(FloatMatrices.dot(vector, vector, 0, length));
  }

  /** 1/‖u‖, or 0 where the norm is not above its floor. */
  private static float inverse(double norm) {
    return (float) NumericPolicy.inverse(norm, NumericPolicy.NORM_FLOOR);
  }

  /**
   * Replaces the gradient of the output by that of the raw vector. The derivative of the power
   * normalisation is {@code 1 / 2√(|v| + φ²)}, and that root is {@code |u| + φ}.
   */
  void backward(float[] u, float[] g, int length) {
    float factor = scale;
    float along = 0;
    if (l2) {
      double inverse = inverse(norm(u, length));
      factor = (float) (scale * inverse);
      along = (float) (FloatMatrices.dot(u, g, 0, length) * inverse * inverse * factor);
    }
    for (int k = 0; k < length; k++) {
      g[k] = factor * g[k] - along * u[k];
    }
    if (power) {
      for (int k = 0; k < length; k++) {
        g[k] /= 2 * (Math.abs(u[k]) + floor);
      }
    }
  }
}
