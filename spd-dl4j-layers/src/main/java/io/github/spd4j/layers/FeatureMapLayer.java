/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import io.github.spd4j.backend.Algebra;
import io.github.spd4j.backend.Backend;
import io.github.spd4j.backend.MatrixStack;
import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.deeplearning4j.nn.conf.InputPreProcessor;
import org.deeplearning4j.nn.conf.dropout.IDropout;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.inputs.InputType.InputTypeConvolutional;
import org.deeplearning4j.nn.conf.layers.InputTypeUtil;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.ndarray.INDArray;

/** A layer whose input is the C feature maps of each image, [N, C, H, W] or [N, H, W, C]. */
public abstract class FeatureMapLayer extends SpdLayer {

  private static final long serialVersionUID = 1L;

  private static final String WANTS = "convolutional input [N, C, H, W] or [N, H, W, C]";

  private CNN2DFormat dataFormat;

  FeatureMapLayer(Builder<?> builder) {
    this(builder, builder.dataFormat);
  }

  FeatureMapLayer(SpdLayer.Builder<?> builder, CNN2DFormat dataFormat) {
    super(builder);
    this.dataFormat = dataFormat;
    tellDropout();
  }

  FeatureMapLayer() {} // for Jackson

  /** Takes up a dropout; a {@link DropCov} is told where the channels are. */
  @Override
  public final void setIDropout(IDropout dropout) {
    super.setIDropout(dropout);
    tellDropout();
  }

  private void tellDropout() {
    if (iDropout instanceof DropCov && dataFormat != null) {
      iDropout = ((DropCov) iDropout).withFormat(dataFormat);
    }
  }

  /**
   * Where the channels of the input are.
   *
   * @return NCHW or NHWC; null if neither set nor inferred, which means NCHW, and input that fits
   *     both is refused
   */
  public final CNN2DFormat getDataFormat() {
    return dataFormat;
  }

  final boolean channelsLast() {
    return dataFormat == CNN2DFormat.NHWC;
  }

  @Override
  final long checkedSizeOf(InputType inputType) {
    InputTypeConvolutional type = mapsOf(inputType);
    if (getNIn() > 0 && type.getChannels() != getNIn()) {
      throw invalidConfig(getNIn() + " channels", type.getChannels() + " channels in " + inputType);
    }
    if (dataFormat != null && type.getFormat() != dataFormat) {
      throw invalidConfig(
          "dataFormat(" + type.getFormat() + "), that of its input " + inputType,
          "dataFormat(" + dataFormat + ")");
    }
    return type.getChannels();
  }

  /** The feature maps of an input type. */
  final InputTypeConvolutional mapsOf(InputType inputType) {
    return convolutional(inputType, WANTS);
  }

  @Override
  public final void setNIn(InputType inputType, boolean override) {
    InputTypeConvolutional type = mapsOf(inputType);
    if (getNIn() == 0 || override) {
      takeUpSize(type.getChannels());
    }
    if (dataFormat == null || override) {
      dataFormat = type.getFormat();
      tellDropout();
    }
  }

  @Override
  public final InputPreProcessor getPreProcessorForInputType(InputType inputType) {
    return InputTypeUtil.getPreProcessorForInputTypeCnnLayers(inputType, getLayerName());
  }

  @Override
  public final void validateInput(INDArray input) {
    if (input.rank() != 4) {
      throw invalidInput("of rank 4, " + WANTS, input);
    }
    long channels = input.size(channelsLast() ? 3 : 1);
    if (getNIn() > 0 && channels != getNIn()) {
      throw invalidInput(
          "with " + getNIn() + " channels in " + (channelsLast() ? "[N, H, W, C]" : "[N, C, H, W]"),
          input,
          "; if the layer before it was changed, as by nOutReplace, this layer and those behind it "
              + "must be removed and added anew, with nIn set");
    }
    if (dataFormat == null && input.size(1) == input.size(3)) {
      throw invalidInput(
          "of a known data format, because [N, C, H, W] and [N, H, W, C] fit alike",
          input,
          "; set dataFormat(NCHW) or dataFormat(NHWC) on the layer, or setInputType(…) on the "
              + "network, from which it is inferred");
    }
  }

  /** Every time, because these layers are where numbers come in. */
  @Override
  public Runnable validateNumbers(INDArray input, boolean seldom) {
    Algebra algebra = Backend.current().algebra();
    if (algebra.isReadingSlow()) {
      return finiteInput(algebra, MatrixStack.inOrder(input), 1);
    }
    requireFiniteInput(input);
    return NO_LOOK;
  }

  /** C of an input. */
  final long channelsOf(SDVariable input) {
    return input.getShape()[channelsLast() ? 3 : 1];
  }

  /** P = H·W of an input. */
  final long pixelsOf(SDVariable input) {
    long[] shape = input.getShape();
    return channelsLast() ? shape[1] * shape[2] : shape[2] * shape[3];
  }

  /** The maps of each image as the rows of a matrix, F [N, C, P]. */
  final SDVariable rows(SameDiff sd, SDVariable input) {
    SDVariable channelsFirst = channelsLast() ? sd.permute(input, 0, 3, 1, 2) : input;
    return sd.reshape(channelsFirst, -1, channelsOf(input), pixelsOf(input));
  }

  /** The maps of each image as the rows of a matrix, F [N, C, P]. */
  final INDArray rows(INDArray input) {
    INDArray channelsFirst = channelsLast() ? input.permute(0, 3, 1, 2) : input;
    long[] shape = channelsFirst.shape();
    return channelsFirst.reshape(shape[0], shape[1], shape[2] * shape[3]);
  }

  /** The inverse of {@link #rows(INDArray)}: brings F [N, C, P] into the shape of an input. */
  final INDArray fromRows(INDArray rows, INDArray input) {
    if (!channelsLast()) {
      return rows.reshape(input.shape());
    }
    return rows.reshape(input.size(0), input.size(3), input.size(1), input.size(2))
        .permute(0, 2, 3, 1);
  }

  /** The descriptors of each image, what all maps show at a position, X [N, P, C]. */
  final SDVariable descriptors(SameDiff sd, SDVariable input) {
    SDVariable channelsLast = channelsLast() ? input : sd.permute(input, 0, 2, 3, 1);
    return sd.reshape(channelsLast, -1, pixelsOf(input), channelsOf(input));
  }

  /** The descriptors of each image, what all maps show at a position, X [N, P, C]. */
  final INDArray descriptors(INDArray input) {
    INDArray channelsLast = channelsLast() ? input : input.permute(0, 2, 3, 1);
    long[] shape = channelsLast.shape();
    return channelsLast.dup('c').reshape(shape[0], shape[1] * shape[2], shape[3]);
  }

  /** The inverse of {@link #descriptors(INDArray)}: brings X [N, P, C] into the input's shape. */
  final INDArray fromDescriptors(INDArray descriptors, INDArray input) {
    if (channelsLast()) {
      return descriptors.reshape(input.shape());
    }
    return descriptors
        .reshape(input.size(0), input.size(2), input.size(3), input.size(1))
        .permute(0, 3, 1, 2);
  }

  /**
   * What the builders of these layers have in common, unless they end in a vector.
   *
   * @param <T> the builder itself
   */
  @SuppressWarnings("unchecked") // T is the builder itself
  public abstract static class Builder<T extends Builder<T>> extends SpdLayer.Builder<T> {
    private CNN2DFormat dataFormat;

    Builder() {}

    /**
     * Where the channels of the input are. Inferred from the input type if there is one, otherwise
     * NCHW unless set; if it is neither, input that could be read in both ways is refused.
     *
     * @param format NCHW or NHWC
     * @return this builder
     */
    public T dataFormat(CNN2DFormat format) {
      this.dataFormat = format;
      return (T) this;
    }
  }
}
