/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import static org.nd4j.linalg.indexing.NDArrayIndex.all;
import static org.nd4j.linalg.indexing.NDArrayIndex.interval;

import io.github.spd4j.backend.Backend;
import org.deeplearning4j.nn.conf.InputPreProcessor;
import org.deeplearning4j.nn.conf.dropout.IDropout;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.nd4j.linalg.api.ndarray.INDArray;

/** A layer whose input is a symmetric matrix for each example, [N, 1, C, C]. */
public abstract class SpdMatrixLayer extends SpdLayer {

  private static final long serialVersionUID = 1L;

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

  /** How many channels the input has; the matrix is the first. */
  int channels() {
    return 1;
  }

  /** The channel [N, 1, C, C] of an input that is the matrix. */
  final INDArray withoutRest(INDArray input) {
    return channels() == 1 ? input : input.get(all(), interval(0, 1), all(), all());
  }

  /** The size C of the matrices of an input type. */
  final int sizeOf(InputType inputType) {
    return MatrixInput.sizeOf(describe(), channels(), inputType);
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
    return MatrixInput.matrices(array);
  }

  @Override
  public final Runnable validateNumbers(INDArray input, boolean seldom) {
    if (seldom) {
      return NO_LOOK;
    }
    Runnable symmetry = MatrixInput.symmetry(describe(), withoutRest(input));
    if (Backend.current().algebra().isReadingSlow()) {
      return symmetry;
    }
    symmetry.run();
    return NO_LOOK;
  }

  @Override
  public final void validateInput(INDArray input) {
    MatrixInput.requireShape(describe(), channels(), getNIn(), input);
  }
}
