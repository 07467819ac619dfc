/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.manifold;

import io.github.spd4j.internal.backend.ForwardPass;
import io.github.spd4j.internal.operators.charts.Chart;
import org.nd4j.linalg.api.ndarray.INDArray;

/** A metric in whose chart the manifold is a vector space, with straight lines as shortest ways. */
final class FlatMetric extends SpdMetric {

  private final Chart chart;

  FlatMetric(Chart chart) {
    this.chart = chart;
  }

  @Override
  INDArray norms(INDArray bases, INDArray tangents) {
    return chart.differential(bases, tangents).norm2(1);
  }

  @Override
  INDArray logarithms(INDArray bases, INDArray points) {
    return chart.tangents(bases, coordinates(points).sub(coordinates(bases)));
  }

  @Override
  INDArray exponentials(INDArray bases, INDArray tangents) {
    return points(coordinates(bases).add(chart.differential(bases, tangents)));
  }

  @Override
  INDArray transported(INDArray from, INDArray to, INDArray tangents) {
    return chart.tangents(to, chart.differential(from, tangents));
  }

  @Override
  INDArray weightedMean(INDArray points, INDArray weights) {
    return points(coordinates(points).mul(weights.reshape(-1, 1)).sum(true, 0));
  }

  private INDArray coordinates(INDArray points) {
    return chart.forward(points, new ForwardPass());
  }

  private INDArray points(INDArray coordinates) {
    return chart.inverse(coordinates, new ForwardPass());
  }
}
