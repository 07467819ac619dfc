/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.textures;

import java.util.Arrays;

/**
 * What the places of the pixels say, whatever the rotation, the colours and the contrast: how alike
 * two pixels at a distance are (over the directions: the mean, the deviation and the extremes).
 */
final class Structure {

  private static final int[] DISTANCES = {1, 2, 3, 4, 5, 6, 8, 10, 12, 14};
  private static final int DIRECTIONS = 12;

  private Structure() {}

  static double[] of(float[][][] image) {
    double[] features = new double[4 * DISTANCES.length];
    double[][][] channels =
        Arrays.stream(image).map(Structure::standardised).toArray(double[][][]::new);
    for (int r = 0; r < DISTANCES.length; r++) {
      double[] alike = new double[DIRECTIONS];
      for (int d = 0; d < DIRECTIONS; d++) {
        double angle = Math.PI * d / DIRECTIONS;
        int dx = (int) Math.round(DISTANCES[r] * Math.cos(angle));
        int dy = (int) Math.round(DISTANCES[r] * Math.sin(angle));
        for (double[][] channel : channels) {
          alike[d] += autocorrelation(channel, dx, dy) / channels.length;
        }
      }
      summarise(alike, features, 4 * r);
    }
    return features;
  }

  private static double[][] standardised(float[][] channel) {
    double mean = FirstOrder.moment(channel, 0, 1);
    double deviation = Math.sqrt(FirstOrder.moment(channel, mean, 2));
    double[][] result = new double[channel.length][channel.length];
    for (int i = 0; i < channel.length; i++) {
      for (int j = 0; j < channel.length; j++) {
        result[i][j] = (channel[i][j] - mean) / deviation;
      }
    }
    return result;
  }

  private static void summarise(double[] values, double[] features, int at) {
    double mean = Arrays.stream(values).average().orElseThrow();
    double squares = Arrays.stream(values).map(v -> (v - mean) * (v - mean)).sum();
    features[at] = mean;
    features[at + 1] = Math.sqrt(squares / values.length);
    features[at + 2] = Arrays.stream(values).min().orElseThrow();
    features[at + 3] = Arrays.stream(values).max().orElseThrow();
  }

  private static double autocorrelation(double[][] channel, int dx, int dy) {
    int size = channel.length;
    double sum = 0;
    for (int i = 0; i < size - dy; i++) {
      for (int j = Math.max(0, -dx); j < Math.min(size, size - dx); j++) {
        sum += channel[i][j] * channel[i + dy][j + dx];
      }
    }
    return sum / ((size - dy) * (size - Math.abs(dx)));
  }
}
