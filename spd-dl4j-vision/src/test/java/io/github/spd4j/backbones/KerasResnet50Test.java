/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.backbones;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** A narrow ResNet50 in a file as Keras writes it, against plain loops over the same numbers. */
class KerasResnet50Test {

  private static final int[] NARROW = {2, 2, 3, 2};
  private static final int[] BLOCKS = {3, 4, 6, 3};
  private static final int SIZE = 33;

  @TempDir Path folder;

  private final Random random = new Random(1);
  private final Map<String, float[]> arrays = new HashMap<>();

  @Test
  void theNetworkComputesWhatKerasDoes() {
    Path file = folder.resolve("resnet50.h5");
    try (KerasFile keras = new KerasFile(file)) {
      convolution(keras, "conv1", 3, NARROW[0], 7);
      int maps = NARROW[0];
      for (int stage = 0; stage < 4; stage++) {
        int filters = NARROW[stage];
        for (int block = 1; block <= BLOCKS[stage]; block++) {
          String name = "conv" + (stage + 2) + "_block" + block;
          if (block == 1) {
            convolution(keras, name + "_0", maps, 4 * filters, 1);
          }
          convolution(keras, name + "_1", maps, filters, 1);
          convolution(keras, name + "_2", filters, filters, 3);
          convolution(keras, name + "_3", filters, 4 * filters, 1);
          maps = 4 * filters;
        }
      }
    }
    ComputationGraph net = Resnet50.fromKeras(file, NARROW).net();
    double[][][] image = new double[3][SIZE][SIZE];
    float[] flat = new float[3 * SIZE * SIZE];
    for (int i = 0; i < flat.length; i++) {
      flat[i] = (float) random.nextGaussian();
      image[i / SIZE / SIZE][i / SIZE % SIZE][i % SIZE] = flat[i];
    }
    String last = Resnet50.lastActivation(net);
    assertThat(last).isEqualTo("conv5_block3_out");
    INDArray got =
        net.feedForward(Nd4j.createFromArray(flat).reshape(1, 3, SIZE, SIZE), false).get(last);
    double[][][] expected = forward(image);
    assertThat(got.shape())
        .containsExactly(1, expected.length, expected[0].length, expected[0][0].length);
    double largest = 0;
    for (int c = 0; c < expected.length; c++) {
      for (int y = 0; y < expected[0].length; y++) {
        for (int x = 0; x < expected[0][0].length; x++) {
          assertThat(got.getDouble(0, c, y, x)).isCloseTo(expected[c][y][x], within(1e-3));
          largest = Math.max(largest, expected[c][y][x]);
        }
      }
    }
    assertThat(largest).isGreaterThan(0.1); // it is not all zeros
  }

  @Test
  void aFileOfAnotherNetworkIsRefused() {
    Path file = folder.resolve("other.h5");
    try (KerasFile keras = new KerasFile(file)) {
      convolution(keras, "block1", 3, 2, 3);
    }
    assertThatThrownBy(() -> Resnet50.fromKeras(file))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected the weights of conv1_conv in " + file);
  }

  private void convolution(KerasFile keras, String name, int in, int out, int size) {
    double deviation = Math.sqrt(2.0 / (in * size * size));
    write(keras, name + "_conv", "kernel:0", 0, deviation, size, size, in, out);
    write(keras, name + "_conv", "bias:0", 0, 0.1, out);
    write(keras, name + "_bn", "gamma:0", 1, 0.1, out);
    write(keras, name + "_bn", "beta:0", 0, 0.1, out);
    write(keras, name + "_bn", "moving_mean:0", 0, 0.1, out);
    write(keras, name + "_bn", "moving_variance:0", 1.5, 0.1, out);
  }

  private void write(
      KerasFile keras, String layer, String name, double mean, double deviation, long... shape) {
    int length = 1;
    for (long side : shape) {
      length *= (int) side;
    }
    float[] values = new float[length];
    for (int i = 0; i < length; i++) {
      values[i] = (float) (mean + deviation * random.nextGaussian());
    }
    arrays.put(layer + "/" + name, values);
    keras.write(values, shape, layer, layer, name);
  }

  private double[][][] forward(double[][][] image) {
    double[][][] x = rectify(normalized(image, "conv1", 7, 2));
    x = maxPooling(x);
    for (int stage = 0; stage < 4; stage++) {
      for (int block = 1; block <= BLOCKS[stage]; block++) {
        String name = "conv" + (stage + 2) + "_block" + block;
        int stride = block == 1 && stage > 0 ? 2 : 1;
        double[][][] shortcut = block == 1 ? normalized(x, name + "_0", 1, stride) : x;
        double[][][] y = rectify(normalized(x, name + "_1", 1, stride));
        y = rectify(normalized(y, name + "_2", 3, 1));
        y = normalized(y, name + "_3", 1, 1);
        for (int c = 0; c < y.length; c++) {
          for (int i = 0; i < y[c].length; i++) {
            for (int j = 0; j < y[c][i].length; j++) {
              y[c][i][j] += shortcut[c][i][j];
            }
          }
        }
        x = rectify(y);
      }
    }
    return x;
  }

  /** A convolution of an image with a margin of zeros, normalised. */
  private double[][][] normalized(double[][][] image, String name, int size, int stride) {
    float[] kernel = arrays.get(name + "_conv/kernel:0");
    float[] bias = arrays.get(name + "_conv/bias:0");
    float[] gamma = arrays.get(name + "_bn/gamma:0");
    float[] beta = arrays.get(name + "_bn/beta:0");
    float[] mean = arrays.get(name + "_bn/moving_mean:0");
    float[] variance = arrays.get(name + "_bn/moving_variance:0");
    int in = image.length;
    int height = (image[0].length + 2 * (size / 2) - size) / stride + 1;
    int width = (image[0][0].length + 2 * (size / 2) - size) / stride + 1;
    double[][][] result = new double[bias.length][height][width];
    for (int o = 0; o < bias.length; o++) {
      for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
          double sum = bias[o];
          for (int dy = 0; dy < size; dy++) {
            for (int dx = 0; dx < size; dx++) {
              for (int c = 0; c < in; c++) {
                sum +=
                    at(image, c, y * stride + dy - size / 2, x * stride + dx - size / 2)
                        * kernel[((dy * size + dx) * in + c) * bias.length + o];
              }
            }
          }
          result[o][y][x] =
              gamma[o] * (sum - mean[o]) / Math.sqrt(variance[o] + 1.001e-5) + beta[o];
        }
      }
    }
    return result;
  }

  private static double at(double[][][] image, int c, int y, int x) {
    boolean inside = y >= 0 && x >= 0 && y < image[c].length && x < image[c][0].length;
    return inside ? image[c][y][x] : 0;
  }

  private static double[][][] rectify(double[][][] image) {
    for (double[][] map : image) {
      for (double[] row : map) {
        for (int x = 0; x < row.length; x++) {
          row[x] = Math.max(0, row[x]);
        }
      }
    }
    return image;
  }

  /** 3×3, stride 2, of an image with a margin of zeros. */
  private static double[][][] maxPooling(double[][][] image) {
    int height = (image[0].length + 2 - 3) / 2 + 1;
    int width = (image[0][0].length + 2 - 3) / 2 + 1;
    double[][][] result = new double[image.length][height][width];
    for (int c = 0; c < image.length; c++) {
      for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
          for (int k = 0; k < 9; k++) {
            double value = at(image, c, 2 * y + k / 3 - 1, 2 * x + k % 3 - 1);
            result[c][y][x] = Math.max(result[c][y][x], value);
          }
        }
      }
    }
    return result;
  }
}
