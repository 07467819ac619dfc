/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.backend.host;

/**
 * Matrices in Java arrays, mostly square ones, row by row; visited in tiles, so that both triangles
 * are near.
 *
 * <p>A tile is small: where rows are a power of two apart, few of them fit into the nearest cache
 * at a time.
 */
public final class FloatMatrices {

  private static final int TILE = 16;

  private FloatMatrices() {}

  /**
   * Copies the upper triangle to the lower one.
   *
   * @param matrix [n, n], changed by this method
   * @param n rows
   */
  public static void mirror(float[] matrix, int n) {
    for (int top = 0; top < n; top += TILE) {
      int bottom = Math.min(n, top + TILE);
      for (int left = 0; left <= top; left += TILE) {
        for (int i = top; i < bottom; i++) {
          int right = Math.min(i, left + TILE);
          for (int j = left; j < right; j++) {
            matrix[i * n + j] = matrix[j * n + i];
          }
        }
      }
    }
  }

  /**
   * Transposes a matrix of any shape, or some of its columns.
   *
   * @param matrix [rows, columns]
   * @param rows rows
   * @param columns columns
   * @param target where [columns, rows] goes
   * @param from the first of its rows to be written
   * @param to the one after the last
   */
  static void transpose(float[] matrix, int rows, int columns, float[] target, int from, int to) {
    for (int top = from; top < to; top += TILE) {
      int bottom = Math.min(to, top + TILE);
      for (int left = 0; left < rows; left += TILE) {
        int right = Math.min(rows, left + TILE);
        for (int i = top; i < bottom; i++) {
          for (int j = left; j < right; j++) {
            target[i * rows + j] = matrix[j * columns + i];
          }
        }
      }
    }
  }

  /**
   * Replaces a matrix A by {@code scale · (A + Aᵀ)}.
   *
   * @param matrix [n, n], changed by this method
   * @param n rows
   * @param scale a factor
   */
  public static void addTransposed(float[] matrix, int n, float scale) {
    for (int top = 0; top < n; top += TILE) {
      int bottom = Math.min(n, top + TILE);
      for (int left = top; left < n; left += TILE) {
        int right = Math.min(n, left + TILE);
        for (int i = top; i < bottom; i++) {
          for (int j = Math.max(left, i); j < right; j++) {
            float sum = scale * (matrix[i * n + j] + matrix[j * n + i]);
            matrix[i * n + j] = sum;
            matrix[j * n + i] = sum;
          }
        }
      }
    }
  }

  /**
   * {@code Σ xy}, in double precision.
   *
   * @param x numbers
   * @param y numbers
   * @param from the first
   * @param to the one after the last
   * @return the sum of the products
   */
  public static double dot(float[] x, float[] y, int from, int to) {
    double a = 0;
    double b = 0;
    double c = 0;
    double d = 0;
    double e = 0;
    double f = 0;
    double g = 0;
    double h = 0;
    int i = from;
    for (; i + 7 < to; i += 8) { // eight sums, so that no addition need wait for another
      a += (double) x[i] * y[i];
      b += (double) x[i + 1] * y[i + 1];
      c += (double) x[i + 2] * y[i + 2];
      d += (double) x[i + 3] * y[i + 3];
      e += (double) x[i + 4] * y[i + 4];
      f += (double) x[i + 5] * y[i + 5];
      g += (double) x[i + 6] * y[i + 6];
      h += (double) x[i + 7] * y[i + 7];
    }
    for (; i < to; i++) {
      a += (double) x[i] * y[i];
    }
    return a + b + (c + d) + (e + f + (g + h));
  }
}
