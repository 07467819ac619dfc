/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.images;

/**
 * Linear interpolation from a line of one length to a line of another. Where the new line is the
 * shorter one the triangle of the interpolation is widened to its spacing, so that every old value
 * counts.
 */
final class Resampling {

  private final int oldLength;
  private final int newLength;

  /** For each new value, the first old one that it is made of. */
  private final int[] first;

  /** For each new value, the shares of the old ones from {@link #first} on; they add up to one. */
  private final float[][] shares;

  Resampling(int oldLength, int newLength) {
    this.oldLength = oldLength;
    this.newLength = newLength;
    this.first = new int[newLength];
    this.shares = new float[newLength][];
    double spacing = (double) oldLength / newLength;
    double reach = Math.max(spacing, 1);
    for (int i = 0; i < newLength; i++) {
      double centre = (i + 0.5) * spacing;
      first[i] = (int) Math.max(0, Math.round(centre - reach));
      int end = (int) Math.min(oldLength, Math.round(centre + reach));
      shares[i] = triangle(centre, reach, first[i], end);
    }
  }

  /** The shares of the values from start to before end in one at centre. */
  private static float[] triangle(double centre, double reach, int start, int end) {
    double[] heights = new double[end - start];
    double sum = 0;
    for (int i = 0; i < heights.length; i++) {
      double distance = Math.abs(start + i + 0.5 - centre);
      heights[i] = Math.max(0, 1 - distance / reach);
      sum += heights[i];
    }
    float[] result = new float[heights.length];
    for (int i = 0; i < heights.length; i++) {
      result[i] = (float) (heights[i] / sum);
    }
    return result;
  }

  /**
   * Resamples each row of a matrix, and transposes it.
   *
   * @param matrix rows × oldLength, row by row; not changed
   * @param rows the number of rows
   * @return newLength × rows, row by row
   */
  float[] alongRowsTransposed(float[] matrix, int rows) {
    float[] result = new float[newLength * rows];
    for (int row = 0; row < rows; row++) {
      for (int i = 0; i < newLength; i++) {
        result[i * rows + row] = at(i, matrix, row * oldLength);
      }
    }
    return result;
  }

  private float at(int index, float[] values, int offset) {
    int start = offset + first[index];
    float sum = 0;
    for (int i = 0; i < shares[index].length; i++) {
      sum += shares[index][i] * values[start + i];
    }
    return sum;
  }
}
