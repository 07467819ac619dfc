/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.orthonormal;

import io.github.spd4j.linalg.NumericPolicy;
import java.util.Arrays;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * The polar factor {@code X (XᵀX)^{−1/2}} by matrix products alone. With {@code E = XᵀX − I}, each
 * step multiplies X from the right by the beginning of the series {@code (I + E)^{−1/2} = I − E/2 +
 * 3E²/8 − …}, which changes singular values but not the polar factor.
 */
abstract class PolarIteration {

  private final double epsilon;

  /**
   * An iteration.
   *
   * @param epsilon ε of the type of X
   */
  PolarIteration(double epsilon) {
    this.epsilon = epsilon;
  }

  /** The present X. */
  abstract INDArray x();

  /** Computes E from the present X and returns {@code ‖E‖_F}. */
  abstract double computeExcess();

  /** Divides X by {@code √‖XᵀX‖_∞}, which none of its singular values exceeds. */
  abstract void shrink();

  /** {@code X ← X (I − E/2)}. */
  abstract void linearStep();

  /** {@code X ← X (I − E/2 + 3E²/8)}. */
  abstract void quadraticStep();

  /**
   * Iterates to the polar factor.
   *
   * @return the factor
   * @throws ArithmeticException if X has not full column rank or is not finite
   */
  final INDArray polarFactor() {
    double error = computeExcess();
    if (error >= 1) {
      // Some singular value may be too large for the series: bring all of them below 1.
      shrink();
      error = computeExcess();
    }
    int steps = 0;
    while (steps < NumericPolicy.POLAR_MAX_STEPS && Double.isFinite(error)) {
      // The error is squared by a step of one kind and cubed by the other: below ε it counts no
      // more.
      boolean linearIsEnough = isNegligible(error * error);
      if (linearIsEnough) {
        linearStep();
      } else {
        quadraticStep();
      }
      steps++;
      if (linearIsEnough || isNegligible(error * error * error)) {
        return x();
      }
      error = computeExcess();
    }
    throw new ArithmeticException(
        String.format(
            "expected a finite matrix whose columns are independent, got one of shape %s that "
                + "has no polar factor (‖QᵀQ − I‖ = %s after %s steps)",
            Arrays.toString(x().shape()), error, steps));
  }

  final boolean isNegligible(double error) {
    return error <= epsilon;
  }
}
