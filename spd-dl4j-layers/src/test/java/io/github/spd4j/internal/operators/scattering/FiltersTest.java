/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.scattering;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FiltersTest {

  private static final int RADIUS = Filters.WAVELET_RADIUS;
  private static final double ROUNDING = 1e-14;

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 6, 8})
  void waveletsHaveMeanZero(int directions) {
    for (double[][][] part : Filters.wavelets(directions)) {
      assertThat(part).hasDimensions(directions, 2 * RADIUS + 1);
      for (double[][] filter : part) {
        assertThat(Arrays.stream(filter).flatMapToDouble(Arrays::stream).sum())
            .isCloseTo(0, offset(ROUNDING));
      }
    }
  }

  /** In the middle the wave is at its crest: all of the window but β is there. */
  @Test
  void aWaveletAnswersToItsOwnWaveByTheWindowsSum() {
    double[][][][] wavelets = Filters.wavelets(8);
    for (int direction = 0; direction < 8; direction++) {
      double angle = Math.PI * direction / 8;
      double own = response(wavelets, direction, Filters.FREQUENCY, angle);
      assertThat(own).isBetween(0.9, 1.0);
      assertThat(response(wavelets, direction, Filters.FREQUENCY, angle + Math.PI))
          .as("the opposite wave, which a complex wavelet does not see")
          .isLessThan(0.05);
      assertThat(response(wavelets, direction, Filters.FREQUENCY, angle + Math.PI / 2))
          .isLessThan(0.05);
    }
  }

  /**
   * Littlewood and Paley: the energies of all directions add up to less than 1, so that maps do not
   * grow from order to order, and up to the wavelets' frequency to the same for waves of every
   * direction. Above it the corners of the grid of pixels show.
   */
  @Test
  void directionsCoverTheCircleEvenly() {
    double[][][][] wavelets = Filters.wavelets(8);
    for (double frequency = 0.1; frequency < Math.PI; frequency += 0.1) {
      double least = Double.MAX_VALUE;
      double most = 0;
      for (int step = 0; step < 64; step++) {
        double angle = 2 * Math.PI * step / 64;
        double energy = 0;
        for (int direction = 0; direction < 8; direction++) {
          // A real image has the wave and its opposite alike.
          double there = response(wavelets, direction, frequency, angle);
          double opposite = response(wavelets, direction, frequency, angle + Math.PI);
          energy += (there * there + opposite * opposite) / 2;
        }
        least = Math.min(least, energy);
        most = Math.max(most, energy);
      }
      assertThat(most).isLessThan(1);
      if (frequency <= Filters.FREQUENCY) {
        assertThat(least).isGreaterThan(0.97 * most);
      }
    }
  }

  /** The modulus of the Fourier transform of a wavelet at a frequency. */
  private static double response(
      double[][][][] wavelets, int direction, double frequency, double angle) {
    double real = 0;
    double imaginary = 0;
    for (int row = -RADIUS; row <= RADIUS; row++) {
      for (int column = -RADIUS; column <= RADIUS; column++) {
        double phase = frequency * (column * Math.cos(angle) + row * Math.sin(angle));
        double even = wavelets[0][direction][row + RADIUS][column + RADIUS];
        double odd = wavelets[1][direction][row + RADIUS][column + RADIUS];
        real += even * Math.cos(phase) + odd * Math.sin(phase);
        imaginary += odd * Math.cos(phase) - even * Math.sin(phase);
      }
    }
    return Math.hypot(real, imaginary);
  }

  @ParameterizedTest
  @ValueSource(ints = {7, 8, 33})
  void halvingKeepsConstantLines(int pixels) {
    double[][] matrix = Filters.halving(pixels);
    assertThat(matrix).hasDimensions(pixels, (pixels + 1) / 2);
    for (int to = 0; to < matrix[0].length; to++) {
      double sum = 0;
      for (double[] row : matrix) {
        sum += row[to];
      }
      assertThat(sum).isCloseTo(1, offset(ROUNDING));
    }
  }

  @Test
  void mirroringRepeatsTheEnds() {
    double[][] matrix = Filters.mirroring(9);
    StringBuilder seen = new StringBuilder();
    for (int to = 0; to < matrix[0].length; to++) {
      for (int from = 0; from < matrix.length; from++) {
        if (matrix[from][to] == 1) {
          seen.append(from);
        }
      }
    }
    assertThat(seen).hasToString("65432100123456788765432");
  }
}
