/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.quickstart;

/**
 * An image along the one line in colour space on which it varies most, with mean 0 and variance 1:
 * the pattern, whatever its two colours are.
 */
final class MainColour {

  private static final int POWER_STEPS = 30;

  private MainColour() {}

  /**
   * Projects an image.
   *
   * @param image [3][height][width]; not changed
   * @return height × width values, row by row
   */
  static float[] of(float[][][] image) {
    double[][] centred = centred(image);
    double[] axis = axis(centred);
    int pixels = centred[0].length;
    double[] projected = new double[pixels];
    double squares = 0;
    for (int i = 0; i < pixels; i++) {
      for (int c = 0; c < axis.length; c++) {
        projected[i] += axis[c] * centred[c][i];
      }
      squares += projected[i] * projected[i];
    }
    double deviation = Math.sqrt(squares / pixels);
    float[] result = new float[pixels];
    for (int i = 0; i < pixels; i++) {
      result[i] = (float) (deviation > 0 ? projected[i] / deviation : 0);
    }
    return result;
  }

  private static double[][] centred(float[][][] image) {
    int height = image[0].length;
    int width = image[0][0].length;
    double[][] planes = new double[image.length][height * width];
    for (int c = 0; c < image.length; c++) {
      double mean = 0;
      for (int i = 0; i < height * width; i++) {
        planes[c][i] = image[c][i / width][i % width];
        mean += planes[c][i] / (height * width);
      }
      for (int i = 0; i < height * width; i++) {
        planes[c][i] -= mean;
      }
    }
    return planes;
  }

  /** The first principal axis, by power iteration. */
  private static double[] axis(double[][] planes) {
    int channels = planes.length;
    double[] axis = {1, 0.9, 0.8};
    for (int step = 0; step < POWER_STEPS; step++) {
      double[] next = new double[channels];
      double squares = 0;
      for (int c = 0; c < channels; c++) {
        for (int d = 0; d < channels; d++) {
          next[c] += axis[d] * product(planes[c], planes[d]);
        }
        squares += next[c] * next[c];
      }
      if (squares == 0) {
        return axis; // one colour only
      }
      for (int c = 0; c < channels; c++) {
        axis[c] = next[c] / Math.sqrt(squares);
      }
    }
    return axis;
  }

  private static double product(double[] a, double[] b) {
    double sum = 0;
    for (int i = 0; i < a.length; i++) {
      sum += a[i] * b[i];
    }
    return sum;
  }
}
