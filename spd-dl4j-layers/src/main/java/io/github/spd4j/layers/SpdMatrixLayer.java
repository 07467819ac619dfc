/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import static org.nd4j.linalg.indexing.NDArrayIndex.all;
import static org.nd4j.linalg.indexing.NDArrayIndex.interval;

import io.github.spd4j.backend.MatrixStack;
import io.github.spd4j.backend.Saved;
import io.github.spd4j.linalg.NumericPolicy;
import io.github.spd4j.operators.charts.Chart;
import org.deeplearning4j.exception.DL4JInvalidInputException;
import org.deeplearning4j.nn.conf.InputPreProcessor;
import org.deeplearning4j.nn.conf.dropout.IDropout;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.inputs.InputType.InputTypeConvolutional;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.indexing.INDArrayIndex;

/** A layer whose input is a symmetric matrix for each example, [N, 1, C, C]. */
public abstract class SpdMatrixLayer extends SpdLayer {

  private static final long serialVersionUID = 1L;

  /** At most as many rows and columns are looked at for symmetry. */
  private static final int SAMPLED = 16;

  private static final String WANTS = "a square matrix [N, 1, C, C]";

  SpdMatrixLayer(SpdLayer.Builder<?> builder) {
    super(builder);
    if (builder.explicitDropout() != null && !isForMatrices(builder.explicitDropout())) {
      throw invalidConfig(
          "no dropout but an SpdDropout",
          "dropout, which would leave its input neither symmetric nor definite");
    }
  }

  SpdMatrixLayer() {} // for Jackson

  /**
   * Dropout of the whole network passes by, but for an {@link SpdDropout}: dropping single entries
   * would leave a matrix neither symmetric nor definite.
   *
   * @param dropout ignored unless it is an {@link SpdDropout}, or null for none
   */
  @Override
  public final void setIDropout(IDropout dropout) {
    if (dropout == null || isForMatrices(dropout)) {
      super.setIDropout(dropout);
    }
  }

  private static boolean isForMatrices(IDropout dropout) {
    return dropout instanceof SpdDropout;
  }

  /** The size C of the matrices of an input type. */
  final int sizeOf(InputType inputType) {
    InputTypeConvolutional type = convolutional(inputType, WANTS);
    if (type.getChannels() != 1 || type.getHeight() != type.getWidth()) {
      throw invalidConfig(WANTS, inputType.toString());
    }
    return (int) type.getHeight();
  }

  @Override
  public final void setNIn(InputType inputType, boolean override) {
    if (getNIn() == 0 || override) {
      takeUpSize(sizeOf(inputType));
    }
  }

  @Override
  final long checkedSizeOf(InputType inputType) {
    int size = sizeOf(inputType);
    if (getNIn() > 0 && size != getNIn()) {
      throw invalidConfig(
          "matrices of " + getNIn() + " rows", "matrices of " + size + " rows in " + inputType);
    }
    return size;
  }

  @Override
  public final InputPreProcessor getPreProcessorForInputType(InputType inputType) {
    sizeOf(inputType);
    return null;
  }

  /** The matrices [N, C, C] of an input or output [N, 1, C, C], in C order. */
  static INDArray matrices(INDArray array) {
    return MatrixStack.inOrder(array).reshape(-1, array.size(2), array.size(3));
  }

  /**
   * The coordinates [N, length] of the matrices of an input, DOUBLE. Those of a metric that has
   * none for a matrix are refused, with the remedy.
   */
  final INDArray coordinates(Chart chart, INDArray input, Saved saved) {
    try {
      return chart.forward(matrices(input), saved);
    } catch (ArithmeticException e) {
      throw new DL4JInvalidInputException(
          describe()
              + ": "
              + e.getMessage()
              + ". Give the KernelAggregationLayer a ridge, or put a ReEigLayer before this layer");
    }
  }

  /** Looks at the entries where some rows and columns of each matrix meet: a few of them tell. */
  @Override
  public final void validateNumbers(INDArray input, boolean seldom) {
    long size = input.size(2);
    if (seldom || size == 1) {
      return;
    }
    long step = (size + SAMPLED - 1) / SAMPLED;
    INDArrayIndex some = interval(0, step, size);
    INDArray entries = input.get(all(), all(), some, some).dup('c');
    int n = Math.toIntExact(entries.size(2));
    double[] numbers = entries.data().asDouble();
    for (int k = 0; k < input.size(0); k++) {
      requireSymmetric(numbers, k, n, step);
    }
  }

  private void requireSymmetric(double[] numbers, int example, int n, long step) {
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
                  describe(), above, j * step, i * step, below, i * step, j * step, example));
        }
      }
    }
  }

  @Override
  public final void validateInput(INDArray input) {
    boolean square = input.rank() == 4 && input.size(1) == 1 && input.size(2) == input.size(3);
    if (!square || getNIn() > 0 && input.size(2) != getNIn()) {
      throw invalidInput(
          getNIn() > 0 ? "[N, 1, " + getNIn() + ", " + getNIn() + "]" : WANTS, input);
    }
  }
}
