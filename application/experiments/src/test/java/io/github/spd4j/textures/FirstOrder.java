/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.textures;

/**
 * What can be said of an image without looking at where its pixels are: per channel the moments,
 * the extremes and a histogram, and the correlations of the channels; then the squares of all.
 */
final class FirstOrder {

  private static final int BINS = 8;
  private static final int PER_CHANNEL = 6 + BINS;

  private FirstOrder() {}

  static double[] of(float[][][] image) {
    int count = 3 * PER_CHANNEL + 3;
    double[] features = new double[2 * count];
    for (int c = 0; c < 3; c++) {
      describe(image[c], features, c * PER_CHANNEL);
      features[3 * PER_CHANNEL + c] = correlation(image[c], image[(c + 1) % 3]);
    }
    for (int k = 0; k < count; k++) {
      features[count + k] = features[k] * features[k];
    }
    return features;
  }

  private static void describe(float[][] channel, double[] features, int at) {
    double mean = moment(channel, 0, 1);
    double deviation = Math.sqrt(moment(channel, mean, 2));
    features[at] = mean;
    features[at + 1] = deviation;
    features[at + 2] = moment(channel, mean, 3) / Math.pow(deviation, 3);
    features[at + 3] = moment(channel, mean, 4) / Math.pow(deviation, 4);
    features[at + 4] = 1;
    features[at + 5] = -1;
    for (float[] row : channel) {
      for (float value : row) {
        features[at + 4] = Math.min(features[at + 4], value);
        features[at + 5] = Math.max(features[at + 5], value);
        int bin = Math.min(BINS - 1, (int) (BINS * 0.5 * (value + 1)));
        features[at + 6 + bin] += 1.0 / (row.length * row.length);
      }
    }
  }

  static double moment(float[][] channel, double centre, int order) {
    double sum = 0;
    for (float[] row : channel) {
      for (float value : row) {
        double power = value - centre;
        for (int k = 1; k < order; k++) {
          power *= value - centre;
        }
        sum += power;
      }
    }
    return sum / (channel.length * channel.length);
  }

  private static double correlation(float[][] a, float[][] b) {
    double meanA = moment(a, 0, 1);
    double meanB = moment(b, 0, 1);
    double sum = 0;
    for (int i = 0; i < a.length; i++) {
      for (int j = 0; j < a.length; j++) {
        sum += (a[i][j] - meanA) * (b[i][j] - meanB);
      }
    }
    double squares = moment(a, meanA, 2) * moment(b, meanB, 2);
    return sum / (a.length * a.length) / Math.sqrt(squares);
  }
}
