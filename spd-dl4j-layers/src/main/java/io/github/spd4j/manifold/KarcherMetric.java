/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.manifold;

import io.github.spd4j.internal.operators.charts.Chart;
import io.github.spd4j.linalg.NumericPolicy;
import org.nd4j.linalg.api.ndarray.INDArray;

/** A curved metric, whose mean is found by steps along tangent vectors. */
abstract class KarcherMetric extends SpdMetric {

  /** A step of the mean so short, as a share of the distances, is as good as none. */
  private static final double EXACT = 1e-13;

  /** Where no step of at least this share makes the next one shorter, rounding is left. */
  private static final double LEAST_RATE = 1.0 / 64;

  /** A distance near this matrix [1, n, n] of which rounding is a share, even of equal points. */
  abstract double unit(INDArray mean);

  /**
   * Karcher's iteration, from the log-Euclidean mean: a step along the mean of the tangent vectors
   * that lead to the points, until that is no longer than rounding makes it. A step that makes it
   * longer is taken back, and shorter ones follow.
   */
  @Override
  final INDArray weightedMean(INDArray points, INDArray weights) {
    INDArray mean = new FlatMetric(Chart.logEuclidean()).weightedMean(points, weights);
    INDArray step = step(mean, points, weights);
    double length = norms(mean, step).getDouble(0);
    double spread = Math.max(unit(mean), distance(mean, points, weights));
    for (double rate = 1; rate > LEAST_RATE && length > EXACT * spread; ) {
      INDArray next = exponentials(mean, step.mul(rate));
      INDArray nextStep = step(next, points, weights);
      double nextLength = norms(next, nextStep).getDouble(0);
      if (nextLength < length) {
        mean = next;
        step = nextStep;
        length = nextLength;
      } else {
        rate /= 2;
      }
    }
    if (length <= NumericPolicy.KARCHER_TOLERANCE * spread) {
      return mean;
    }
    throw new ArithmeticException(
        String.format(
            "the mean did not converge: its last step has the length %.1e, and the matrices are up"
                + " to %.1e away. Add a multiple of the identity to them",
            length, spread));
  }

  /** The mean distance of the points. */
  private double distance(INDArray mean, INDArray points, INDArray weights) {
    INDArray bases = mean.repeat(0, points.size(0));
    INDArray distances = norms(bases, logarithms(bases, points));
    return distances.muli(weights.reshape(distances.shape())).sumNumber().doubleValue();
  }

  private INDArray step(INDArray mean, INDArray points, INDArray weights) {
    INDArray bases = mean.repeat(0, points.size(0));
    return logarithms(bases, points).muli(weights).sum(true, 0);
  }
}
