/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.testing;

import java.util.function.DoubleUnaryOperator;
import java.util.function.ToDoubleFunction;
import org.nd4j.linalg.api.ndarray.INDArray;

/** Derivatives by central differences of fourth order, in double precision. */
public final class FiniteDifferences {

  /**
   * The step, in units of the largest entry of the point: small against the square of the power
   * normalisation's floor, the shortest length on which anything here bends.
   */
  private static final double RELATIVE_STEP = 2e-6;

  private FiniteDifferences() {}

  /** The gradient of a function, entry by entry. The point is left as it was. */
  public static INDArray gradient(ToDoubleFunction<INDArray> f, INDArray point) {
    return gradient(f, point, RELATIVE_STEP);
  }

  /** The gradient with a step of one's own, in units of the largest entry of the point. */
  public static INDArray gradient(
      ToDoubleFunction<INDArray> f, INDArray point, double relativeStep) {
    INDArray result = point.ulike();
    double step = step(point, relativeStep);
    for (long i = 0; i < point.length(); i++) {
      long entry = i;
      double x = point.getDouble(i);
      double slope = derivative(t -> f.applyAsDouble(point.putScalar(entry, x + t)), step);
      point.putScalar(i, x);
      result.putScalar(i, slope);
    }
    return result;
  }

  /** The derivative of a function along a direction. */
  public static double along(ToDoubleFunction<INDArray> f, INDArray point, INDArray direction) {
    double step = step(point, RELATIVE_STEP) / Math.max(1, direction.amaxNumber().doubleValue());
    return derivative(t -> f.applyAsDouble(point.add(direction.mul(t))), step);
  }

  private static double derivative(DoubleUnaryOperator f, double h) {
    double near = f.applyAsDouble(h) - f.applyAsDouble(-h);
    double far = f.applyAsDouble(2 * h) - f.applyAsDouble(-2 * h);
    return (8 * near - far) / (12 * h);
  }

  private static double step(INDArray point, double relativeStep) {
    double largest = point.amaxNumber().doubleValue();
    return relativeStep * (largest == 0 ? 1 : largest);
  }
}
