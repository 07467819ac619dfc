/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.quickstart;

import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * Weights for a first convolution such as networks learn from many images: short waves of two
 * lengths in all directions, with both phases and both signs. They spare the quickstart the hours
 * that learning them would take.
 */
final class OrientedFilters {

  private static final double[] WAVE_LENGTHS = {3, 5};
  private static final double WIDTH = 0.45;

  private OrientedFilters() {}

  /** How many filters there are for a number of directions. */
  static int count(int directions) {
    return WAVE_LENGTHS.length * directions * 4;
  }

  /**
   * Sets the weights of a convolution.
   *
   * @param weights overwritten, [{@link #count}, 1, size, size] with an odd size
   * @param directions how many directions
   */
  static void set(INDArray weights, int directions) {
    int filter = 0;
    for (double length : WAVE_LENGTHS) {
      for (int direction = 0; direction < directions; direction++) {
        for (int phase = 0; phase < 2; phase++) {
          double[][] wave =
              wave(
                  (int) weights.size(2),
                  length,
                  Math.PI * direction / directions,
                  phase * Math.PI / 2);
          put(weights, filter++, wave, 1);
          put(weights, filter++, wave, -1);
        }
      }
    }
  }

  /** A wave under a Gaussian, with mean 0 and norm 1. */
  private static double[][] wave(int size, double length, double angle, double phase) {
    double[][] wave = new double[size][size];
    double mean = 0;
    for (int y = 0; y < size; y++) {
      for (int x = 0; x < size; x++) {
        double dx = x - size / 2;
        double dy = y - size / 2;
        double along = dx * Math.cos(angle) + dy * Math.sin(angle);
        double spread = WIDTH * length;
        double envelope = Math.exp(-(dx * dx + dy * dy) / (2 * spread * spread));
        wave[y][x] = envelope * Math.cos(2 * Math.PI * along / length - phase);
        mean += wave[y][x] / (size * size);
      }
    }
    double squares = 0;
    for (int i = 0; i < size * size; i++) {
      wave[i / size][i % size] -= mean;
      squares += wave[i / size][i % size] * wave[i / size][i % size];
    }
    for (int i = 0; i < size * size; i++) {
      wave[i / size][i % size] /= Math.sqrt(squares);
    }
    return wave;
  }

  private static void put(INDArray weights, int filter, double[][] wave, int sign) {
    for (int y = 0; y < wave.length; y++) {
      for (int x = 0; x < wave.length; x++) {
        weights.putScalar(new int[] {filter, 0, y, x}, sign * wave[y][x]);
      }
    }
  }
}
