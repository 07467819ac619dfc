/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.backend.host;

/**
 * Square matrices in Java arrays, row by row; visited in tiles, so that both triangles are near.
 */
public final class Squares {

  private static final int TILE = 32;

  private Squares() {}

  /**
   * Copies the upper triangle to the lower one.
   *
   * @param matrix [n, n], changed by this method
   * @param n rows
   */
  public static void mirror(float[] matrix, int n) {
    for (int top = 0; top < n; top += TILE) {
      int bottom = Math.min(n, top + TILE);
      for (int left = top; left < n; left += TILE) {
        int right = Math.min(n, left + TILE);
        for (int i = top; i < bottom; i++) {
          for (int j = Math.max(left, i + 1); j < right; j++) {
            matrix[j * n + i] = matrix[i * n + j];
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
    double even = 0;
    double odd = 0;
    int i = from;
    for (; i + 1 < to; i += 2) { // two sums, so that one addition need not wait for the other
      even += (double) x[i] * y[i];
      odd += (double) x[i + 1] * y[i + 1];
    }
    return i < to ? even + odd + (double) x[i] * y[i] : even + odd;
  }
}
