/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import static org.nd4j.linalg.indexing.NDArrayIndex.all;
import static org.nd4j.linalg.indexing.NDArrayIndex.interval;

import io.github.spd4j.internal.backend.Algebra;
import io.github.spd4j.internal.backend.ForwardPass;
import io.github.spd4j.internal.backend.MatrixStack;
import io.github.spd4j.internal.operators.charts.Chart;
import io.github.spd4j.linalg.NumericPolicy;
import java.util.Arrays;
import java.util.function.Supplier;
import org.deeplearning4j.exception.DL4JInvalidInputException;
import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.deeplearning4j.nn.conf.InputPreProcessor;
import org.deeplearning4j.nn.conf.dropout.IDropout;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.inputs.InputType.InputTypeConvolutional;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/** A symmetric matrix for each example, [N, 1, C, C], as the input of a layer. */
final class MatrixInput implements LayerInput {

  /** At most as many rows and columns are checked for symmetry. */
  private static final int SAMPLED = 16;

  private final String layer;
  private final int channels;
  private final long size;

  /** For a layer, by the name it has in refusals; the size is 0 if it is not known. */
  MatrixInput(String layer, int channels, long size) {
    this.layer = layer;
    this.channels = channels;
    this.size = size;
  }

  private String wanted() {
    return "a square matrix [N, " + channels + ", C, C]";
  }

  @Override
  public String layer() {
    return layer;
  }

  @Override
  public long sizeOf(InputType type) {
    if (type instanceof InputTypeConvolutional) {
      InputTypeConvolutional matrices = (InputTypeConvolutional) type;
      if (matrices.getChannels() == channels && matrices.getHeight() == matrices.getWidth()) {
        return matrices.getHeight();
      }
    }
    throw LayerInput.invalidConfig(layer, wanted(), String.valueOf(type));
  }

  @Override
  public void requireFit(InputType type) {
    long rows = sizeOf(type);
    if (size > 0 && rows != size) {
      throw LayerInput.invalidConfig(
          layer, "matrices of " + size + " rows", "matrices of " + rows + " rows in " + type);
    }
  }

  @Override
  public CNN2DFormat formatOf(InputType type) {
    return null;
  }

  @Override
  public InputPreProcessor preProcessorFor(InputType type, String layerName) {
    sizeOf(type);
    return null;
  }

  @Override
  public void requireShape(INDArray input) {
    boolean square =
        input.rank() == 4 && input.size(1) == channels && input.size(2) == input.size(3);
    if (!square || size > 0 && input.size(2) != size) {
      throw new DL4JInvalidInputException(
          String.format(
              "%s: expected input %s, got shape %s%s",
              layer,
              size > 0 ? "[N, " + channels + ", " + size + ", " + size + "]" : wanted(),
              Arrays.toString(input.shape()),
              square ? TWICE : ""));
    }
  }

  /** The channel [N, 1, C, C] of an input that is the matrix. */
  INDArray withoutRest(INDArray input) {
    return channels == 1 ? input : input.get(all(), interval(0, 1), all(), all());
  }

  /** Reads the entries where some rows and columns of each matrix meet: a few of them tell. */
  @Override
  public Runnable checked(INDArray input, Algebra algebra, boolean wasChecked) {
    if (wasChecked) {
      return NO_CHECK;
    }
    Runnable symmetry = symmetry(withoutRest(input), algebra);
    if (algebra.isOnDevice()) {
      return symmetry;
    }
    symmetry.run();
    return NO_CHECK;
  }

  /** Without single entries a matrix would be neither symmetric nor definite. */
  @Override
  public boolean allows(IDropout dropout) {
    return dropout instanceof SpdDropout;
  }

  @Override
  public IDropout told(IDropout dropout) {
    return dropout;
  }

  /** The matrices [N, C, C] of an input or output [N, 1, C, C], in C order. */
  static INDArray matrices(INDArray array) {
    return MatrixStack.inOrder(array).reshape(-1, array.size(2), array.size(3));
  }

  /**
   * The coordinates [N, length] of the matrices of an input, DOUBLE. A matrix that has none under
   * the metric is refused, with the remedy.
   */
  INDArray coordinates(Chart chart, INDArray input, ForwardPass saved) {
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

  /** A check that is run later: a device does not wait until then. */
  private Runnable symmetry(INDArray input, Algebra algebra) {
    long step = (input.size(2) + SAMPLED - 1) / SAMPLED;
    INDArray numbers = input.dataType() == DataType.DOUBLE ? input : input.castTo(DataType.FLOAT);
    Supplier<double[]> reading = algebra.asymmetries(matrices(numbers), step);
    return () -> {
      double[] shares = reading.get();
      for (int k = 0; k < shares.length; k++) {
        if (shares[k] > NumericPolicy.ASYMMETRY) {
          throw asymmetric(input, k, step);
        }
      }
    };
  }

  /** Names the entries that differ most, of those that are finite. */
  private DL4JInvalidInputException asymmetric(INDArray input, int example, long step) {
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
