/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.textures;

/** A linear classifier: ridge regression of the one-hot labels on standardised features. */
final class LeastSquares {

  private static final double RIDGE = 1e-2;

  private final double[] means;
  private final double[] deviations;
  private final double[][] weights;

  LeastSquares(double[][] features, int[] labels, int classes) {
    int count = features[0].length;
    means = new double[count];
    deviations = new double[count];
    standardise(features);
    double[][] gram = new double[count + 1][count + 1];
    double[][] target = new double[count + 1][classes];
    for (int n = 0; n < features.length; n++) {
      double[] row = inputs(features[n]);
      for (int i = 0; i <= count; i++) {
        target[i][labels[n]] += row[i] / features.length;
        for (int j = 0; j <= count; j++) {
          gram[i][j] += row[i] * row[j] / features.length;
        }
      }
    }
    for (int i = 0; i < count; i++) {
      gram[i][i] += RIDGE;
    }
    weights = solve(gram, target);
  }

  double accuracy(double[][] features, int[] labels) {
    int right = 0;
    for (int n = 0; n < features.length; n++) {
      right += predict(features[n]) == labels[n] ? 1 : 0;
    }
    return right / (double) features.length;
  }

  private int predict(double[] features) {
    double[] row = inputs(features);
    double[] scores = new double[weights[0].length];
    int best = 0;
    for (int k = 0; k < scores.length; k++) {
      for (int i = 0; i < row.length; i++) {
        scores[k] += row[i] * weights[i][k];
      }
      best = scores[k] > scores[best] ? k : best;
    }
    return best;
  }

  private void standardise(double[][] features) {
    for (int i = 0; i < means.length; i++) {
      double squares = 0;
      for (double[] row : features) {
        means[i] += row[i] / features.length;
        squares += row[i] * row[i] / features.length;
      }
      deviations[i] = Math.sqrt(Math.max(0, squares - means[i] * means[i])) + 1e-9;
    }
  }

  private double[] inputs(double[] features) {
    double[] row = new double[features.length + 1];
    for (int i = 0; i < features.length; i++) {
      row[i] = (features[i] - means[i]) / deviations[i];
    }
    row[features.length] = 1;
    return row;
  }

  /** Gauss's elimination without a search for pivots: the matrix is positive definite. */
  private static double[][] solve(double[][] a, double[][] b) {
    for (int p = 0; p < a.length; p++) {
      for (int i = 0; i < a.length; i++) {
        if (i != p) {
          double factor = a[i][p] / a[p][p];
          subtract(a[i], a[p], factor);
          subtract(b[i], b[p], factor);
        }
      }
    }
    for (int p = 0; p < a.length; p++) {
      for (int k = 0; k < b[p].length; k++) {
        b[p][k] /= a[p][p];
      }
    }
    return b;
  }

  private static void subtract(double[] row, double[] other, double factor) {
    for (int k = 0; k < row.length; k++) {
      row[k] -= factor * other[k];
    }
  }
}
