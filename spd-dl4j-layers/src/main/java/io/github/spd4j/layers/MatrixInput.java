/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import io.github.spd4j.backend.Backend;
import io.github.spd4j.backend.MatrixStack;
import io.github.spd4j.backend.Saved;
import io.github.spd4j.linalg.NumericPolicy;
import io.github.spd4j.operators.charts.Chart;
import java.util.Arrays;
import java.util.function.Supplier;
import org.deeplearning4j.exception.DL4JInvalidConfigException;
import org.deeplearning4j.exception.DL4JInvalidInputException;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.inputs.InputType.InputTypeConvolutional;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

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
    symmetry(layer, input).run();
  }

  /** {@link #requireSymmetric}, later: a device does not wait until then. */
  static Runnable symmetry(String layer, INDArray input) {
    long step = (input.size(2) + SAMPLED - 1) / SAMPLED;
    INDArray numbers = input.dataType() == DataType.DOUBLE ? input : input.castTo(DataType.FLOAT);
    Supplier<double[]> reading = Backend.current().algebra().asymmetries(matrices(numbers), step);
    return () -> {
      double[] shares = reading.get();
      for (int k = 0; k < shares.length; k++) {
        if (shares[k] > NumericPolicy.ASYMMETRY) {
          throw asymmetric(layer, input, k, step);
        }
      }
    };
  }

  /** Names the entries that differ most, of those that are finite. */
  private static DL4JInvalidInputException asymmetric(
      String layer, INDArray input, int example, long step) {
    INDArray matrix = input.slice(example).slice(0);
    double most = 0;
    long row = 0;
    long column = 0;
    for (long i = 0; i < matrix.size(0); i += step) {
      for (long j = 0; j < i; j += step) {
        double difference = Math.abs(matrix.getDouble(i, j) - matrix.getDouble(j, i));
        if (difference > most && Double.isFinite(difference)) {
          most = difference;
          row = i;
          column = j;
        }
      }
    }
    return new DL4JInvalidInputException(
        String.format(
            "%s: expected a symmetric matrix for each example, got %s in row %s, column %s and %s"
                + " in row %s, column %s (example %s of the batch). A layer between the"
                + " KernelAggregationLayer and this one, such as a convolution or dropout, has made"
                + " it asymmetric: put that layer before the KernelAggregationLayer, or leave it"
                + " out",
            layer,
            matrix.getDouble(column, row),
            column,
            row,
            matrix.getDouble(row, column),
            row,
            column,
            example));
  }
}
