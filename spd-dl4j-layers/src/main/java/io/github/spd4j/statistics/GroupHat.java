/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.statistics;

import io.github.spd4j.linalg.Matrices;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.indexing.NDArrayIndex;

/**
 * The hat matrices of ridge regressions, only between examples of one group, which are all that it
 * takes to leave a group out.
 */
final class GroupHat {

  private final int[] groups;

  /** What lies so far right of the diagonal: by distance, example and regression. */
  private final double[][][] bands;

  /**
   * The hat matrices {@code M D Mᵀ} of regressions with diagonal matrices D.
   *
   * @param factors M [n, m], DOUBLE
   * @param diagonals D for each regression, [regressions, m], DOUBLE
   * @param groups the groups of n examples, the examples of each next to one another
   */
  GroupHat(INDArray factors, INDArray diagonals, int[] groups) {
    this.groups = groups;
    this.bands = new double[largest()][][];
    for (int distance = 0; distance < bands.length; distance++) {
      INDArray products =
          rows(factors, 0, groups.length - distance).mul(rows(factors, distance, groups.length));
      INDArray band = Matrices.transposeSecond(products, diagonals);
      bands[distance] = band.toDoubleMatrix();
      Matrices.closeAll(products, band);
    }
  }

  private static INDArray rows(INDArray matrix, int first, int end) {
    return matrix.get(NDArrayIndex.interval(first, end), NDArrayIndex.all());
  }

  private int largest() {
    int largest = 0;
    for (int first = 0; first < groups.length; first = end(first)) {
      largest = Math.max(largest, end(first) - first);
    }
    return largest;
  }

  /** The number after the last example of a group. */
  private int end(int first) {
    int end = first + 1;
    while (end < groups.length && groups[end] == groups[first]) {
      end++;
    }
    return end;
  }

  /**
   * Turns the residuals R of a fit into those of fits to all but one group, {@code (I − H)⁻¹ R}.
   *
   * @param regression its number
   * @param constant what is added to every entry of the hat matrix
   * @param residuals [n, k], overwritten
   */
  void leaveOut(int regression, double constant, double[][] residuals) {
    for (int first = 0; first < groups.length; first = end(first)) {
      int size = end(first) - first;
      double[][] free = new double[size][size];
      for (int i = 0; i < size; i++) {
        for (int j = 0; j < size; j++) {
          double hat = bands[Math.abs(i - j)][first + Math.min(i, j)][regression] + constant;
          free[i][j] = (i == j ? 1 : 0) - hat;
        }
      }
      solve(free, residuals, first);
    }
  }

  /** Gauss' elimination in a positive definite matrix, which needs no pivots. */
  private static void solve(double[][] matrix, double[][] right, int first) {
    int size = matrix.length;
    for (int k = 0; k < size; k++) {
      for (int i = k + 1; i < size; i++) {
        double factor = matrix[i][k] / matrix[k][k];
        subtract(factor, matrix[k], matrix[i]);
        subtract(factor, right[first + k], right[first + i]);
      }
    }
    for (int k = size - 1; k >= 0; k--) {
      for (int j = k + 1; j < size; j++) {
        subtract(matrix[k][j], right[first + j], right[first + k]);
      }
      for (int column = 0; column < right[first + k].length; column++) {
        right[first + k][column] /= matrix[k][k];
      }
    }
  }

  private static void subtract(double factor, double[] row, double[] from) {
    for (int column = 0; column < row.length; column++) {
      from[column] -= factor * row[column];
    }
  }
}
