/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import io.github.spd4j.internal.operators.charts.Chart;

/**
 * A metric under which the symmetric positive definite matrices are a vector space: {@link
 * io.github.spd4j.manifold.SpdMetric} has their distances and means.
 */
public enum LogMetric {

  /** The log-Euclidean metric: logarithms are compared. Small eigenvalues are raised to a floor. */
  EUCLIDEAN {
    @Override
    Chart chart(double floor) {
      return Chart.logEuclidean(floor);
    }
  },

  /**
   * The log-Cholesky metric: Cholesky factors are compared, their diagonals by logarithms. It needs
   * no eigenvalues, and refuses a matrix that is singular.
   */
  CHOLESKY {
    @Override
    Chart chart(double floor) {
      return Chart.logCholesky();
    }
  };

  /**
   * The coordinates of matrices; eigenvalues below the floor are raised to it, if there are any.
   */
  abstract Chart chart(double floor);
}
