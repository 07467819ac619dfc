/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.textures;

/** A Gaussian blur of a square image, which mirrors it at its borders. */
final class Blur {

  private final double[] weights;

  /** A blur whose standard deviation, in pixels, is at most 1.5. */
  Blur(double deviation) {
    int reach = 4;
    weights = new double[reach + 1];
    double sum = 0;
    for (int k = 0; k <= reach; k++) {
      weights[k] = StrictMath.exp(-0.5 * k * k / (deviation * deviation));
      sum += k == 0 ? weights[k] : 2 * weights[k];
    }
    for (int k = 0; k <= reach; k++) {
      weights[k] /= sum;
    }
  }

  /** A blurred copy of an image of size × size values. */
  double[] of(double[] image, int size) {
    return alongRowsTransposed(alongRowsTransposed(image, size), size);
  }

  private double[] alongRowsTransposed(double[] image, int size) {
    double[] result = new double[image.length];
    for (int row = 0; row < size; row++) {
      for (int column = 0; column < size; column++) {
        double sum = weights[0] * image[row * size + column];
        for (int k = 1; k < weights.length; k++) {
          double left = image[row * size + mirror(column - k, size)];
          double right = image[row * size + mirror(column + k, size)];
          sum += weights[k] * (left + right);
        }
        result[column * size + row] = sum;
      }
    }
    return result;
  }

  private static int mirror(int index, int size) {
    int positive = Math.abs(index);
    return positive < size ? positive : 2 * (size - 1) - positive;
  }
}
