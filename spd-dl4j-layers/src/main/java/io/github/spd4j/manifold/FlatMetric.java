/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.manifold;

import org.nd4j.linalg.api.ndarray.INDArray;

/** A metric in whose chart the manifold is a vector space, with straight lines as shortest ways. */
final class FlatMetric extends SpdMetric {

  private final Chart chart;

  FlatMetric(Chart chart) {
    this.chart = chart;
  }

  /** A map of the SPD matrices onto a vector space; of stacks [N, n, n] in DOUBLE. */
  interface Chart {

    /** φ(A). */
    INDArray coordinates(INDArray points);

    /** The point with these coordinates. */
    INDArray points(INDArray coordinates);

    /** dφ(A)[ξ], the change of the coordinates. */
    INDArray differential(INDArray points, INDArray tangents);

    /** The tangent vector at A that changes the coordinates so. */
    INDArray tangents(INDArray points, INDArray changes);
  }

  @Override
  INDArray norms(INDArray bases, INDArray tangents) {
    return chart.differential(bases, tangents).norm2(1, 2);
  }

  @Override
  INDArray logarithms(INDArray bases, INDArray points) {
    return chart.tangents(bases, chart.coordinates(points).sub(chart.coordinates(bases)));
  }

  @Override
  INDArray exponentials(INDArray bases, INDArray tangents) {
    return chart.points(chart.coordinates(bases).add(chart.differential(bases, tangents)));
  }

  @Override
  INDArray transported(INDArray from, INDArray to, INDArray tangents) {
    return chart.tangents(to, chart.differential(from, tangents));
  }

  @Override
  INDArray weightedMean(INDArray points, INDArray weights) {
    return chart.points(chart.coordinates(points).mul(weights).sum(true, 0));
  }
}
