/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.testing;

import java.util.function.DoubleUnaryOperator;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

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
    INDArray result = point.ulike();
    double step = step(point, RELATIVE_STEP);
    for (long i = 0; i < point.length(); i++) {
      long entry = i;
      double x = point.getDouble(i);
      double slope = derivative(t -> f.applyAsDouble(point.putScalar(entry, x + t)), step);
      point.putScalar(i, x);
      result.putScalar(i, slope);
    }
    return result;
  }

  /**
   * The gradient of a function that takes a stack of points [N, …] and gives the value of each: all
   * differences at once.
   *
   * @param point a stack of one point
   */
  public static INDArray gradientAtOnce(
      Function<INDArray, double[]> f, INDArray point, double relativeStep) {
    double h = step(point, relativeStep);
    double[] steps = {h, -h, 2 * h, -2 * h};
    int entries = Math.toIntExact(point.length());
    INDArray points = point.reshape(1, entries).repeat(0, steps.length * entries);
    for (int i = 0; i < points.rows(); i++) {
      int entry = i / steps.length;
      points.putScalar(i, entry, points.getDouble(i, entry) + steps[i % steps.length]);
    }
    long[] shape = point.shape().clone();
    shape[0] = points.rows();
    double[] values = f.apply(points.reshape(shape));
    double[] slopes = new double[entries];
    for (int i = 0; i < entries; i++) {
      int first = steps.length * i;
      double near = values[first] - values[first + 1];
      double far = values[first + 2] - values[first + 3];
      slopes[i] = (8 * near - far) / (12 * h);
    }
    return Nd4j.createFromArray(slopes).reshape(point.shape());
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
