/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import static org.nd4j.linalg.indexing.NDArrayIndex.all;
import static org.nd4j.linalg.indexing.NDArrayIndex.interval;

import io.github.spd4j.backend.MatrixStack;
import io.github.spd4j.backend.Saved;
import io.github.spd4j.backend.host.HostFloats;
import io.github.spd4j.linalg.NumericPolicy;
import io.github.spd4j.operators.charts.Chart;
import java.util.Arrays;
import java.util.stream.DoubleStream;
import org.deeplearning4j.exception.DL4JInvalidConfigException;
import org.deeplearning4j.exception.DL4JInvalidInputException;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.inputs.InputType.InputTypeConvolutional;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.indexing.INDArrayIndex;

/** A symmetric matrix for each example, [N, 1, C, C], as the input of a layer. */
final class MatrixInput {

  /** At most as many rows and columns are looked at for symmetry. */
  private static final int SAMPLED = 16;

  private MatrixInput() {}

  private static String wanted(int channels) {
    return "a square matrix [N, " + channels + ", C, C]";
  }

  /** The size C of the matrices of an input type; others are refused in a layer's name. */
  static int sizeOf(String layer, int channels, InputType inputType) {
    if (inputType instanceof InputTypeConvolutional) {
      InputTypeConvolutional type = (InputTypeConvolutional) inputType;
      if (type.getChannels() == channels && type.getHeight() == type.getWidth()) {
        return (int) type.getHeight();
      }
    }
    throw new DL4JInvalidConfigException(
        layer + ": expected " + wanted(channels) + ", got " + inputType);
  }

  /** Refuses input of another shape. */
  static void requireShape(String layer, int channels, long size, INDArray input) {
    boolean square =
        input.rank() == 4 && input.size(1) == channels && input.size(2) == input.size(3);
    if (!square || size > 0 && input.size(2) != size) {
      throw new DL4JInvalidInputException(
          String.format(
              "%s: expected input %s, got shape %s",
              layer,
              size > 0 ? "[N, " + channels + ", " + size + ", " + size + "]" : wanted(channels),
              Arrays.toString(input.shape())));
    }
  }

  /** The matrices [N, C, C] of an input or output [N, 1, C, C], in C order. */
  static INDArray matrices(INDArray array) {
    return MatrixStack.inOrder(array).reshape(-1, array.size(2), array.size(3));
  }

  /**
   * The coordinates [N, length] of the matrices of an input, DOUBLE. A matrix that has none under
   * the metric is refused, with the remedy.
   */
  static INDArray coordinates(String layer, Chart chart, INDArray input, Saved saved) {
    try {
      return chart.forward(matrices(input), saved);
    } catch (ArithmeticException e) {
      throw new DL4JInvalidInputException(
          layer
              + ": "
              + e.getMessage()
              + ". Give the KernelAggregationLayer a ridge, or put a ReEigLayer before this layer");
    }
  }

  /** Looks at the entries where some rows and columns of each matrix meet: a few of them tell. */
  static void requireSymmetric(String layer, INDArray input) {
    long size = input.size(2);
    if (size == 1) {
      return;
    }
    long step = (size + SAMPLED - 1) / SAMPLED;
    int n = Math.toIntExact((size + step - 1) / step);
    double[] numbers = sample(input, Math.toIntExact(step));
    for (int k = 0; k < input.size(0); k++) {
      requireSymmetric(layer, numbers, k, n, step);
    }
  }

  /** The entries where every so many rows and columns meet, without ND4J where it is the slower. */
  private static double[] sample(INDArray input, int step) {
    if (!HostFloats.isPossible(input) || !MatrixStack.isInOrder(input)) {
      INDArrayIndex some = interval(0, step, input.size(2));
      return input.get(all(), all(), some, some).dup('c').data().asDouble();
    }
    HostFloats numbers = new HostFloats(input);
    float[] row = new float[Math.toIntExact(input.size(3))];
    DoubleStream.Builder sample = DoubleStream.builder();
    for (long image = 0; image < input.size(0); image++) {
      for (int i = 0; i < row.length; i += step) {
        numbers.read((image * row.length + i) * row.length, row, row.length);
        for (int j = 0; j < row.length; j += step) {
          sample.add(row[j]);
        }
      }
    }
    return sample.build().toArray();
  }

  private static void requireSymmetric(
      String layer, double[] numbers, int example, int n, long step) {
    int start = example * n * n;
    double largest = 0;
    for (int i = start; i < start + n * n; i++) {
      largest = Math.max(largest, Math.abs(numbers[i]));
    }
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < i; j++) {
        double below = numbers[start + i * n + j];
        double above = numbers[start + j * n + i];
        if (Math.abs(below - above) > NumericPolicy.ASYMMETRY * largest) {
          throw new DL4JInvalidInputException(
              String.format(
                  "%s: expected a symmetric matrix for each example, got %s in row %s, column %s "
                      + "and %s in row %s, column %s (example %s of the batch). A layer between "
                      + "the KernelAggregationLayer and this one, such as a convolution or "
                      + "dropout, has made it asymmetric: put that layer before the "
                      + "KernelAggregationLayer, or leave it out",
                  layer, above, j * step, i * step, below, i * step, j * step, example));
        }
      }
    }
  }
}
