/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.statistics;

import io.github.spd4j.linalg.Matrices;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.indexing.NDArrayIndex;

/**
 * Parts of the hat matrices of ridge regressions: only the entries between examples of one group.
 * Leaving a group out needs no others.
 */
final class GroupHat {

  private final int[] groups;

  /** Diagonals of the hat matrices: by distance from the main one, then example, regression. */
  private final double[][] bands;

  private final int regressions;

  /**
   * The hat matrices {@code M D Mᵀ} of regressions with diagonal matrices D.
   *
   * @param factors M [n, m], DOUBLE
   * @param diagonals D for each regression, [regressions, m], DOUBLE
   * @param groups the groups of n examples, the examples of each next to one another
   */
  GroupHat(INDArray factors, INDArray diagonals, int[] groups) {
    this.groups = groups;
    this.regressions = diagonals.rows();
    this.bands = new double[largest()][];
    for (int distance = 0; distance < bands.length; distance++) {
      INDArray products =
          rows(factors, 0, groups.length - distance).mul(rows(factors, distance, groups.length));
      INDArray band = Matrices.transposeSecond(products, diagonals);
      bands[distance] = band.ravel().toDoubleVector(); // an array for each row would take its time
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
   * @param residuals [n, k], row by row; overwritten
   */
  void leaveOut(int regression, double constant, double[] residuals) {
    int columns = residuals.length / groups.length;
    for (int first = 0; first < groups.length; first = end(first)) {
      int size = end(first) - first;
      double[][] free = new double[size][size];
      for (int i = 0; i < size; i++) {
        for (int j = 0; j < size; j++) {
          int entry = (first + Math.min(i, j)) * regressions + regression;
          free[i][j] = (i == j ? 1 : 0) - constant - bands[Math.abs(i - j)][entry];
        }
      }
      solve(free, residuals, first, columns);
    }
  }

  /** Gauss' elimination in a positive definite matrix, which needs no pivots. */
  private static void solve(double[][] matrix, double[] right, int first, int columns) {
    int size = matrix.length;
    for (int k = 0; k < size; k++) {
      for (int i = k + 1; i < size; i++) {
        double factor = matrix[i][k] / matrix[k][k];
        for (int j = k; j < size; j++) {
          matrix[i][j] -= factor * matrix[k][j];
        }
        subtract(factor, right, first + k, first + i, columns);
      }
    }
    for (int k = size - 1; k >= 0; k--) {
      for (int j = k + 1; j < size; j++) {
        subtract(matrix[k][j], right, first + j, first + k, columns);
      }
      for (int column = 0; column < columns; column++) {
        right[(first + k) * columns + column] /= matrix[k][k];
      }
    }
  }

  /** Takes a multiple of one row from another. */
  private static void subtract(double factor, double[] rows, int row, int from, int columns) {
    for (int column = 0; column < columns; column++) {
      rows[from * columns + column] -= factor * rows[row * columns + column];
    }
  }
}
