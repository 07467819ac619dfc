/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import io.github.spd4j.internal.backend.MatrixStack;
import java.util.Arrays;
import java.util.Objects;
import org.deeplearning4j.exception.DL4JInvalidConfigException;
import org.deeplearning4j.exception.DL4JInvalidInputException;
import org.deeplearning4j.nn.api.MaskState;
import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.deeplearning4j.nn.conf.InputPreProcessor;
import org.deeplearning4j.nn.conf.RNNFormat;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.inputs.InputType.InputTypeRecurrent;
import org.deeplearning4j.nn.workspace.ArrayType;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.nd4j.common.primitives.Pair;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.shade.jackson.annotation.JsonCreator;
import org.nd4j.shade.jackson.annotation.JsonProperty;

/**
 * Makes feature maps of sequences: each of the C channels of a signal of T steps is a map of one
 * row, [N, C, T] → [N, C, 1, T], or [N, T, C] → [N, 1, T, C]. A mask of steps [N, T] becomes one of
 * pixels [N, 1, 1, T], so that sequences may differ in length.
 *
 * <p>A network with {@code setInputType(InputType.recurrent(C))} has it before each layer of
 * feature maps whose input is recurrent, such as the output of a {@code Convolution1DLayer} or an
 * {@code LSTM}; without an input type, {@code inputPreProcessor(i, …)} puts it there.
 */
public final class RnnToMapsPreProcessor implements InputPreProcessor {

  private static final long serialVersionUID = 1L;

  private final RNNFormat format;

  /**
   * For sequences of a format.
   *
   * @param format NCW for [N, C, T], NWC for [N, T, C]
   */
  @JsonCreator
  public RnnToMapsPreProcessor(@JsonProperty("format") RNNFormat format) {
    this.format = Objects.requireNonNull(format, "format");
  }

  /**
   * The format of the sequences.
   *
   * @return NCW for [N, C, T], NWC for [N, T, C]
   */
  public RNNFormat getFormat() {
    return format;
  }

  /** The axis of height 1. */
  private int axis() {
    return format == RNNFormat.NCW ? 2 : 1;
  }

  @Override
  public INDArray preProcess(INDArray input, int miniBatchSize, LayerWorkspaceMgr workspaceMgr) {
    if (input.rank() != 3) {
      throw new DL4JInvalidInputException(
          String.format(
              "RnnToMapsPreProcessor: expected sequences %s, got shape %s",
              format == RNNFormat.NCW ? "[N, C, T]" : "[N, T, C]", Arrays.toString(input.shape())));
    }
    long[] shape = new long[4];
    for (int i = 0; i < 4; i++) {
      shape[i] = i == axis() ? 1 : input.size(i < axis() ? i : i - 1);
    }
    return reshaped(input, ArrayType.ACTIVATIONS, workspaceMgr, shape);
  }

  @Override
  public INDArray backprop(INDArray output, int miniBatchSize, LayerWorkspaceMgr workspaceMgr) {
    long[] shape = new long[3];
    for (int i = 0; i < 3; i++) {
      shape[i] = output.size(i < axis() ? i : i + 1);
    }
    return reshaped(output, ArrayType.ACTIVATION_GRAD, workspaceMgr, shape);
  }

  private static INDArray reshaped(
      INDArray array, ArrayType type, LayerWorkspaceMgr workspaceMgr, long[] shape) {
    INDArray ordered = MatrixStack.isInOrder(array) ? array : workspaceMgr.dup(type, array, 'c');
    return workspaceMgr.leverageTo(type, ordered.reshape('c', shape));
  }

  @Override
  public InputType getOutputType(InputType inputType) {
    if (!(inputType instanceof InputTypeRecurrent)) {
      throw new DL4JInvalidConfigException(
          "RnnToMapsPreProcessor: expected recurrent input, got " + inputType);
    }
    InputTypeRecurrent sequences = (InputTypeRecurrent) inputType;
    long steps = Math.max(1, sequences.getTimeSeriesLength()); // -1 where it may differ
    return format == RNNFormat.NCW
        ? InputType.convolutional(1, steps, sequences.getSize(), CNN2DFormat.NCHW)
        : InputType.convolutional(1, steps, sequences.getSize(), CNN2DFormat.NHWC);
  }

  @Override
  public Pair<INDArray, MaskState> feedForwardMaskArray(
      INDArray maskArray, MaskState currentMaskState, int minibatchSize) {
    INDArray pixels =
        maskArray == null || maskArray.rank() != 2
            ? maskArray
            : maskArray.dup('c').reshape('c', maskArray.size(0), 1, 1, maskArray.size(1));
    return new Pair<>(pixels, currentMaskState);
  }

  @Override
  public RnnToMapsPreProcessor clone() {
    return new RnnToMapsPreProcessor(format);
  }

  @Override
  public boolean equals(Object o) {
    return o instanceof RnnToMapsPreProcessor && ((RnnToMapsPreProcessor) o).format == format;
  }

  @Override
  public int hashCode() {
    return format.hashCode();
  }

  @Override
  public String toString() {
    return "RnnToMapsPreProcessor(" + format + ")";
  }
}
