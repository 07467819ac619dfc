/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.backbones;

import java.io.IOException;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.NDArrayIndex;

/** The operations of a Caffe model on one image [1, C, H, W], written out after its documents. */
final class PlainLoops {

  private PlainLoops() {}

  /** Max pooling 3×3 with stride 2: the last window is the first that reaches the far edge. */
  static INDArray maxPooling(INDArray input) {
    float[][][] in = values(input);
    int rows = (int) Math.ceil((in[0].length - 3) / 2.0) + 1;
    int columns = (int) Math.ceil((in[0][0].length - 3) / 2.0) + 1;
    float[][][] out = new float[in.length][rows][columns];
    for (int c = 0; c < in.length; c++) {
      for (int y = 0; y < rows; y++) {
        for (int x = 0; x < columns; x++) {
          out[c][y][x] = largest(in[c], 2 * y, 2 * x);
        }
      }
    }
    return array(out);
  }

  private static float largest(float[][] plane, int top, int left) {
    float largest = Float.NEGATIVE_INFINITY;
    for (int y = top; y < Math.min(top + 3, plane.length); y++) {
      for (int x = left; x < Math.min(left + 3, plane[y].length); x++) {
        largest = Math.max(largest, plane[y][x]);
      }
    }
    return largest;
  }

  /** Local response normalisation {@code x / (1 + (1e-4 / 5) Σ x²)^0.75} over five channels. */
  static INDArray normalisation(INDArray input) {
    float[][][] in = values(input);
    float[][][] out = new float[in.length][in[0].length][in[0][0].length];
    for (int c = 0; c < in.length; c++) {
      for (int y = 0; y < in[0].length; y++) {
        for (int x = 0; x < in[0][0].length; x++) {
          double sum = 0;
          for (int d = Math.max(0, c - 2); d <= Math.min(in.length - 1, c + 2); d++) {
            sum += (double) in[d][y][x] * in[d][y][x];
          }
          out[c][y][x] = (float) (in[c][y][x] / Math.pow(1 + 1e-4 / 5 * sum, 0.75));
        }
      }
    }
    return array(out);
  }

  /** Convolution (without turning the kernel round), bias and ReLU. */
  static INDArray convolution(INDArray input, RawWeights weights, RawWeights.Entry entry)
      throws IOException {
    float[][][] in = values(input);
    INDArray kernels = weights.weights(entry);
    float[] biases = weights.biases(entry).toFloatVector();
    int kernel = entry.kernel()[0];
    int rows = (in[0].length + 2 * entry.padding() - kernel) / entry.stride() + 1;
    int columns = (in[0][0].length + 2 * entry.padding() - kernel) / entry.stride() + 1;
    float[][][] out = new float[biases.length][rows][columns];
    for (int c = 0; c < out.length; c++) {
      float[][][] k = values(kernels.get(NDArrayIndex.interval(c, c + 1)));
      for (int y = 0; y < rows; y++) {
        for (int x = 0; x < columns; x++) {
          int top = y * entry.stride() - entry.padding();
          int left = x * entry.stride() - entry.padding();
          out[c][y][x] = (float) Math.max(0, product(in, k, top, left) + biases[c]);
        }
      }
    }
    return array(out);
  }

  private static double product(float[][][] in, float[][][] kernel, int top, int left) {
    double sum = 0;
    for (int d = 0; d < in.length; d++) {
      for (int y = Math.max(0, -top); y < kernel[d].length && top + y < in[d].length; y++) {
        float[] line = in[d][top + y];
        for (int x = Math.max(0, -left); x < kernel[d].length && left + x < line.length; x++) {
          sum += (double) kernel[d][y][x] * line[left + x];
        }
      }
    }
    return sum;
  }

  private static float[][][] values(INDArray image) {
    int channels = (int) image.size(1);
    int rows = (int) image.size(2);
    int columns = (int) image.size(3);
    float[] flat = image.castTo(DataType.FLOAT).dup('c').data().asFloat();
    float[][][] values = new float[channels][rows][columns];
    for (int i = 0; i < flat.length; i++) {
      values[i / (rows * columns)][i / columns % rows][i % columns] = flat[i];
    }
    return values;
  }

  private static INDArray array(float[][][] values) {
    INDArray array = Nd4j.createFromArray(values);
    return array.reshape(1, array.size(0), array.size(1), array.size(2));
  }
}
