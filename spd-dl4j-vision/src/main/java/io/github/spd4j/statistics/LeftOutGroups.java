/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.statistics;

import io.github.spd4j.linalg.Matrices;
import io.github.spd4j.linalg.Tridiagonal;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.indexing.NDArrayIndex;

/**
 * Turns the residuals R of ridge regressions into those of fits to all but one group of examples:
 * {@code (I − H)⁻¹ R}, with the entries of the hat matrix H between examples of the group.
 */
final class LeftOutGroups {

  /** How many rows are copied at a time, if no group has more. */
  private static final int ROWS = 64;

  private final boolean ofColumns;
  private final double[] penalties;
  private final Tridiagonal.Shifted[] shifted;
  private final double constant;

  /**
   * For some regressions.
   *
   * @param ofColumns whether {@code I − H} is {@code I − M(T + λI)⁻¹Mᵀ}, or else {@code λ M(T +
   *     λI)⁻¹Mᵀ}
   * @param penalties λ of each regression
   * @param shifted {@code T + λI} of each regression
   * @param constant what the free intercept takes from each entry of {@code I − H}
   */
  LeftOutGroups(
      boolean ofColumns, double[] penalties, Tridiagonal.Shifted[] shifted, double constant) {
    this.ofColumns = ofColumns;
    this.penalties = penalties;
    this.shifted = shifted;
    this.constant = constant;
  }

  /**
   * Leaves groups out.
   *
   * @param factors rows of M [n, m], DOUBLE
   * @param groups the groups of n examples, the examples of each next to one another
   * @param residuals for each regression [n, k], row by row; overwritten
   */
  void leaveOut(INDArray factors, int[] groups, double[][] residuals) {
    int columns = residuals[0].length / groups.length;
    for (int first = 0; first < groups.length; ) {
      List<Integer> starts = new ArrayList<>();
      int end = first;
      while (end < groups.length && end < first + ROWS) {
        starts.add(end);
        end = end(groups, end);
      }
      starts.add(end);
      INDArray rows = factors.get(NDArrayIndex.interval(first, end), NDArrayIndex.all());
      double[] numbers = Matrices.doubles(rows);
      int before = first;
      IntStream.range(1, starts.size())
          .parallel()
          .forEach(
              i -> leaveOut(numbers, before, starts.get(i - 1), starts.get(i), residuals, columns));
      first = end;
    }
  }

  /** The number after the last example of a group. */
  private static int end(int[] groups, int first) {
    int end = first + 1;
    while (end < groups.length && groups[end] == groups[first]) {
      end++;
    }
    return end;
  }

  private void leaveOut(
      double[] factors, int before, int start, int end, double[][] residuals, int columns) {
    int size = end - start;
    int length = shifted[0].length();
    double[] solved = new double[size * length];
    for (int regression = 0; regression < shifted.length; regression++) {
      System.arraycopy(factors, (start - before) * length, solved, 0, solved.length);
      for (int i = 0; i < size; i++) {
        shifted[regression].halfSolve(solved, i * length);
      }
      double[][] free = new double[size][size];
      for (int i = 0; i < size; i++) {
        for (int j = i; j < size; j++) {
          double product = dot(solved, i * length, j * length, length);
          double one = i == j ? 1 : 0;
          free[i][j] = (ofColumns ? one - product : penalties[regression] * product) - constant;
          free[j][i] = free[i][j];
        }
      }
      solve(free, residuals[regression], start, columns);
    }
  }

  private static double dot(double[] numbers, int first, int second, int length) {
    double sum = 0;
    for (int i = 0; i < length; i++) {
      sum += numbers[first + i] * numbers[second + i];
    }
    return sum;
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
