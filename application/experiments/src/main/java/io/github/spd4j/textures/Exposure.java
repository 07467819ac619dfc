/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.textures;

/** How tones become an image: two colours, the light, noise, brightness and contrast. */
final class Exposure {

  private static final int CHANNELS = 3;

  private final Dice dice;
  private final double[] ground = new double[CHANNELS];
  private final double[] figure = new double[CHANNELS];
  private final double lightX;
  private final double lightY;
  private final double noise;
  private final double contrast;

  Exposure(Dice dice) {
    this.dice = dice;
    drawColours();
    double light = dice.between(0, 0.4);
    double direction = dice.between(0, 2 * StrictMath.PI);
    this.lightX = light * StrictMath.cos(direction);
    this.lightY = light * StrictMath.sin(direction);
    this.noise = dice.between(0.015, 0.06);
    this.contrast = dice.between(0.2, 0.34);
  }

  private void drawColours() {
    boolean alike = dice.between(0, 1) < 0.7;
    do {
      for (int c = 0; c < CHANNELS; c++) {
        ground[c] = dice.between(0.05, 1);
        figure[c] = dice.between(0.05, 1);
      }
    } while (!areDistinct() || alike && !areOrdered());
  }

  /** Whether the colours differ in every channel, and in one of them by much. */
  private boolean areDistinct() {
    double least = 1;
    double most = 0;
    for (int c = 0; c < CHANNELS; c++) {
      least = Math.min(least, Math.abs(figure[c] - ground[c]));
      most = Math.max(most, Math.abs(figure[c] - ground[c]));
    }
    return least > 0.12 && most > 0.45;
  }

  /** Whether one colour is the brighter one in every channel. */
  private boolean areOrdered() {
    int brighter = 0;
    for (int c = 0; c < CHANNELS; c++) {
      brighter += figure[c] > ground[c] ? 1 : 0;
    }
    return brighter % CHANNELS == 0;
  }

  /** The image [3][size][size] of tones in [0, 1], with values in [−1, 1]. */
  float[][][] of(double[] tones, int size) {
    float[][][] image = new float[CHANNELS][][];
    for (int c = 0; c < CHANNELS; c++) {
      double[] channel = lit(tones, size, ground[c], figure[c]);
      double mean = dice.between(-0.2, 0.2);
      double deviation = contrast * dice.between(0.4, 1.1);
      image[c] = normalised(channel, size, mean, deviation);
    }
    return image;
  }

  private double[] lit(double[] tones, int size, double dark, double bright) {
    double[] channel = new double[tones.length];
    double middle = 0.5 * (size - 1);
    for (int k = 0; k < tones.length; k++) {
      double x = k % size / middle - 1;
      double y = k / size / middle - 1;
      double light = 1 + lightX * x + lightY * y;
      channel[k] = light * (dark + (bright - dark) * tones[k]) + noise * dice.bell();
    }
    return channel;
  }

  private static float[][] normalised(double[] channel, int size, double mean, double deviation) {
    double sum = 0;
    double squares = 0;
    for (double value : channel) {
      sum += value;
      squares += value * value;
    }
    double centre = sum / channel.length;
    double factor = deviation / Math.sqrt(squares / channel.length - centre * centre);
    float[][] rows = new float[size][size];
    for (int k = 0; k < channel.length; k++) {
      double value = mean + factor * (channel[k] - centre);
      rows[k / size][k % size] = (float) Math.max(-1, Math.min(1, value));
    }
    return rows;
  }
}
