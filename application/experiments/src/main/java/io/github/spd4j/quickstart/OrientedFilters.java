/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.quickstart;

import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

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
    int size = (int) weights.size(2);
    int filter = 0;
    for (double length : WAVE_LENGTHS) {
      for (int direction = 0; direction < directions; direction++) {
        for (double phase : new double[] {0, Math.PI / 2}) {
          INDArray wave = wave(size, length, Math.PI * direction / directions, phase);
          put(weights, filter++, wave);
          put(weights, filter++, wave.neg());
        }
      }
    }
  }

  private static void put(INDArray weights, int filter, INDArray wave) {
    for (int y = 0; y < wave.rows(); y++) {
      for (int x = 0; x < wave.columns(); x++) {
        weights.putScalar(new int[] {filter, 0, y, x}, wave.getDouble(y, x));
      }
    }
  }

  /** A wave under a Gaussian, with mean 0 and norm 1. */
  private static INDArray wave(int size, double length, double angle, double phase) {
    INDArray wave = Nd4j.zeros(DataType.DOUBLE, size, size);
    double spread = WIDTH * length;
    for (int y = 0; y < size; y++) {
      for (int x = 0; x < size; x++) {
        double dx = x - size / 2;
        double dy = y - size / 2;
        double along = dx * Math.cos(angle) + dy * Math.sin(angle);
        double envelope = Math.exp(-(dx * dx + dy * dy) / (2 * spread * spread));
        wave.putScalar(y, x, envelope * Math.cos(2 * Math.PI * along / length - phase));
      }
    }
    wave.subi(wave.meanNumber());
    return wave.divi(wave.norm2Number());
  }
}
