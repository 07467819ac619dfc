/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.scattering;

/**
 * The filters of a scattering network: a Morlet wavelet in several directions, and a Gaussian.
 *
 * <p>The wavelet of direction θ is a plane wave under a window, less what makes its mean zero:
 *
 * <pre>
 * ψ_θ(u) = c · w(r) (e^{iξ r₁} − β),   r = u rotated by −θ,   w(r) = e^{−(r₁² + s² r₂²) / 2σ²}
 * </pre>
 *
 * <p>β is such that the sampled filter has the sum zero, c such that the window has the sum 1, and
 * the slant s = 4/L, at most 1, makes the window of L directions longer across the wave than along
 * it.
 *
 * <p>There is one size of wavelet. Larger ones come from making the image smaller: blurred by the
 * Gaussian, every second row and column is kept.
 */
public final class Filters {

  /** The frequency ξ of the wave, in radians for each pixel: a wave of four pixels. */
  static final double FREQUENCY = Math.PI / 2;

  /** The width σ of the window along the wave. */
  static final double WIDTH = 1.2;

  /** Pixels from the middle of a wavelet to its edge. */
  public static final int WAVELET_RADIUS = 7;

  /** The pixels of a wavelet. */
  public static final int WAVELET_AREA = (2 * WAVELET_RADIUS + 1) * (2 * WAVELET_RADIUS + 1);

  /** The standard deviation of the Gaussian, in pixels. */
  static final double BLUR = 1;

  /** Pixels from the middle of the Gaussian to its edge. */
  private static final int BLUR_RADIUS = 3;

  private Filters() {}

  /**
   * The wavelets, sampled at the pixels −R to R of rows and columns.
   *
   * @param directions their number L; the l-th is turned by πl/L from the direction of the rows
   * @return [2][L][2R+1][2R+1]: real parts, then imaginary parts; row by row
   */
  public static double[][][][] wavelets(int directions) {
    double[][][][] filters = new double[2][directions][][];
    for (int l = 0; l < directions; l++) {
      double[][][] filter = wavelet(Math.PI * l / directions, Math.min(1, 4.0 / directions));
      filters[0][l] = filter[0];
      filters[1][l] = filter[1];
    }
    return filters;
  }

  /** Wavelets end at a circle. */
  static boolean isWithinWavelet(int row, int column) {
    return row * row + column * column <= WAVELET_RADIUS * WAVELET_RADIUS;
  }

  private static double[][][] wavelet(double angle, double slant) {
    int size = 2 * WAVELET_RADIUS + 1;
    double[][] window = new double[size][size];
    double[][] real = new double[size][size];
    double[][] imaginary = new double[size][size];
    double sum = 0;
    double mean = 0; // the imaginary part is odd, its mean is zero
    for (int row = 0; row < size; row++) {
      for (int column = 0; column < size; column++) {
        double x = column - WAVELET_RADIUS;
        double y = row - WAVELET_RADIUS;
        double along = x * Math.cos(angle) + y * Math.sin(angle);
        double across = y * Math.cos(angle) - x * Math.sin(angle);
        double square = along * along + slant * slant * across * across;
        boolean within = isWithinWavelet(row - WAVELET_RADIUS, column - WAVELET_RADIUS);
        window[row][column] = within ? Math.exp(-square / (2 * WIDTH * WIDTH)) : 0;
        real[row][column] = window[row][column] * Math.cos(FREQUENCY * along);
        imaginary[row][column] = window[row][column] * Math.sin(FREQUENCY * along);
        sum += window[row][column];
        mean += real[row][column];
      }
    }
    for (int row = 0; row < size; row++) {
      for (int column = 0; column < size; column++) {
        real[row][column] = (real[row][column] - mean / sum * window[row][column]) / sum;
        imaginary[row][column] /= sum;
      }
    }
    return new double[][][] {real, imaginary};
  }

  /** The Gaussian along a line, with the sum 1. */
  static double[] blur() {
    double[] weights = new double[2 * BLUR_RADIUS + 1];
    double sum = 0;
    for (int i = 0; i < weights.length; i++) {
      double x = (i - BLUR_RADIUS) / BLUR;
      weights[i] = Math.exp(-x * x / 2);
      sum += weights[i];
    }
    for (int i = 0; i < weights.length; i++) {
      weights[i] /= sum;
    }
    return weights;
  }

  /**
   * Blurs a line of pixels by a Gaussian and keeps every second one. Beyond its ends the line is
   * mirrored.
   *
   * @param pixels the length n of the line
   * @return a matrix [n][⌈n/2⌉]: the line as a row, times this, is the shorter line
   */
  static double[][] halving(int pixels) {
    double[] weights = blur();
    double[][] matrix = new double[pixels][(pixels + 1) / 2];
    for (int to = 0; to < matrix[0].length; to++) {
      for (int i = 0; i < weights.length; i++) {
        matrix[mirrored(2 * to + i - BLUR_RADIUS, pixels)][to] += weights[i];
      }
    }
    return matrix;
  }

  /**
   * Adds mirrored pixels at both ends of a line, as many as a wavelet reaches beyond it.
   *
   * @param pixels the length n of the line
   * @return a matrix [n][n + 2R]: the line as a row, times this, is the longer line
   */
  static double[][] mirroring(int pixels) {
    double[][] matrix = new double[pixels][pixels + 2 * WAVELET_RADIUS];
    for (int to = 0; to < matrix[0].length; to++) {
      matrix[mirrored(to - WAVELET_RADIUS, pixels)][to] = 1;
    }
    return matrix;
  }

  /** The pixel that is seen at a place beyond the ends, which are themselves seen twice. */
  static int mirrored(int place, int pixels) {
    int folded = Math.floorMod(place, 2 * pixels);
    return Math.min(folded, 2 * pixels - 1 - folded);
  }
}
