/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import io.github.spd4j.internal.backend.Algebra;
import io.github.spd4j.internal.backend.MatrixStack;
import io.github.spd4j.internal.runtime.Counted;
import java.util.Arrays;
import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.deeplearning4j.nn.conf.InputPreProcessor;
import org.deeplearning4j.nn.conf.dropout.IDropout;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.inputs.InputType.InputTypeConvolutional;
import org.deeplearning4j.nn.conf.inputs.InputType.InputTypeRecurrent;
import org.deeplearning4j.nn.conf.layers.InputTypeUtil;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.ndarray.INDArray;

/** The C feature maps of each image, [N, C, H, W] or [N, H, W, C], as the input of a layer. */
final class MapsInput implements LayerInput {

  private static final String WANTS = "convolutional input [N, C, H, W] or [N, H, W, C]";

  private static final String OTHER_FORMAT =
      "; if its channels are in the other place, permute it, by permute(0, 3, 1, 2) or permute(0, 2,"
          + " 3, 1), or set the other dataFormat(…) on the layers";

  private static final String OTHER_LAYER =
      TWICE
          + "; if the layer before it was changed, as by nOutReplace, this layer and those behind it"
          + " must be removed and added anew, with nIn set";

  private final SpdLayer layer;
  private final CNN2DFormat format;

  /** For a layer; the format is null if it is not known, which means NCHW. */
  MapsInput(SpdLayer layer, CNN2DFormat format) {
    this.layer = layer;
    this.format = format;
  }

  /** Whether the channels are the last axis. */
  boolean channelsLast() {
    return format == CNN2DFormat.NHWC;
  }

  /** The feature maps of an input type. */
  InputTypeConvolutional typeOf(InputType type) {
    if (!(type instanceof InputTypeConvolutional)) {
      throw layer.invalidConfig(WANTS, String.valueOf(type));
    }
    return (InputTypeConvolutional) type;
  }

  @Override
  public String layer() {
    return layer.describe();
  }

  @Override
  public long sizeOf(InputType type) {
    return typeOf(type).getChannels();
  }

  @Override
  public CNN2DFormat formatOf(InputType type) {
    return typeOf(type).getFormat();
  }

  @Override
  public void requireFit(InputType type) {
    long channels = sizeOf(type);
    if (layer.getNIn() > 0 && channels != layer.getNIn()) {
      throw layer.invalidConfig(layer.getNIn() + " channels", channels + " channels in " + type);
    }
    if (format != null && formatOf(type) != format) {
      throw layer.invalidConfig(
          "dataFormat(" + formatOf(type) + "), that of its input " + type,
          "dataFormat(" + format + ")");
    }
  }

  @Override
  public InputPreProcessor preProcessorFor(InputType type, String layerName) {
    if (type instanceof InputTypeRecurrent) {
      return new RnnToMapsPreProcessor(((InputTypeRecurrent) type).getFormat());
    }
    if (type.getType() == InputType.Type.CNN3D) {
      throw layer.invalidConfig(WANTS, "volumes, " + type);
    }
    return InputTypeUtil.getPreProcessorForInputTypeCnnLayers(type, layerName);
  }

  @Override
  public void requireShape(INDArray input) {
    if (input.rank() != 4) {
      throw layer.invalidInput(
          "of rank 4, " + WANTS,
          input,
          input.rank() == 3
              ? "; for sequences, setInputType(InputType.recurrent(…)) on the network, or put an "
                  + "RnnToMapsPreProcessor before the layer"
              : "");
    }
    long channels = input.size(channelsLast() ? 3 : 1);
    if (layer.getNIn() > 0 && channels != layer.getNIn()) {
      throw layer.invalidInput(
          "with "
              + layer.getNIn()
              + " channels in "
              + (channelsLast() ? "[N, H, W, C]" : "[N, C, H, W]"),
          input,
          (input.size(channelsLast() ? 1 : 3) == layer.getNIn() ? OTHER_FORMAT : "") + OTHER_LAYER);
    }
    if (format == null && input.size(1) == input.size(3)) {
      throw layer.invalidInput(
          "of a known data format, because [N, C, H, W] and [N, H, W, C] fit alike",
          input,
          "; set dataFormat(NCHW) or dataFormat(NHWC) on the layer, or setInputType(…) on the "
              + "network, from which it is inferred");
    }
  }

  @Override
  public void requireMask(INDArray mask) {
    if (!LayerInput.isOfExamples(mask) && !(mask.rank() == 4 && mask.size(1) == 1)) {
      throw invalidMask(
          "of the examples, [N, 1] or [N, 1, 1, 1], or of the pixels, [N, 1, H, W]", mask);
    }
  }

  @Override
  public Counted counted(INDArray mask, INDArray input) {
    requireMask(mask);
    if (LayerInput.isOfExamples(mask)) {
      return LayerInput.super.counted(mask, input);
    }
    if (layer.output() == LayerOutput.MAPS) { // which have a mask, too
      return Counted.ALL;
    }
    if (layer.getIDropout() instanceof DropCov) {
      throw invalidMask("of examples beside a DropCov; take DL4J's SpatialDropout", mask);
    }
    long images = input.size(0);
    long height = input.size(channelsLast() ? 1 : 2);
    long width = input.size(channelsLast() ? 2 : 3);
    if (mask.size(0) != images
        || mask.size(2) != height && mask.size(2) != 1
        || mask.size(3) != width && mask.size(3) != 1) {
      throw invalidMask(
          String.format("of the pixels of its input, [%s, 1, %s, %s]", images, height, width),
          mask);
    }
    INDArray ofType = mask.castTo(input.dataType());
    INDArray whole = ofType.broadcast(images, 1, height, width).dup('c');
    double[] numbers = zerosAndOnes(whole);
    int pixels = Math.toIntExact(height * width);
    for (int i = 0; i < images; i++) {
      if (Arrays.stream(numbers, i * pixels, (i + 1) * pixels).sum() == 0) {
        throw invalidMask("with a pixel that counts in each image, not none in image " + i, mask);
      }
    }
    return Counted.pixels(whole, channelsLast());
  }

  /** Every time, because these layers are where numbers come in. */
  @Override
  public Runnable checked(INDArray input, Algebra algebra, boolean wasChecked) {
    if (algebra.isOnDevice()) {
      return layer.finiteInput(algebra, MatrixStack.inOrder(input), 1);
    }
    layer.requireFiniteInput(input);
    return NO_CHECK;
  }

  @Override
  public boolean allows(IDropout dropout) {
    return true;
  }

  /** A {@link DropCov} is told where the channels are. */
  @Override
  public IDropout told(IDropout dropout) {
    return dropout instanceof DropCov && format != null
        ? ((DropCov) dropout).withFormat(format)
        : dropout;
  }

  /** C of an input. */
  long channelsOf(SDVariable input) {
    return input.getShape()[channelsLast() ? 3 : 1];
  }

  /** P = H·W of an input. */
  long pixelsOf(SDVariable input) {
    long[] shape = input.getShape();
    return channelsLast() ? shape[1] * shape[2] : shape[2] * shape[3];
  }

  /** The maps of each image as the rows of a matrix, F [N, C, P], 0 where no pixel counts. */
  SDVariable rows(SameDiff sd, SDVariable input, SDVariable mask) {
    SDVariable channelsFirst = channelsLast() ? sd.permute(input, 0, 3, 1, 2) : input;
    SDVariable rows = sd.reshape(channelsFirst, -1, channelsOf(input), pixelsOf(input));
    return mask == null ? rows : rows.mul(maskOfRows(sd, mask));
  }

  /** A mask [N, 1, P] of the columns of F; null for none. */
  static SDVariable maskOfRows(SameDiff sd, SDVariable mask) {
    return mask == null ? null : sd.reshape(mask, -1, 1, pixelsIn(mask.getShape()));
  }

  /** A mask [N, 1, P] of the columns of F; null for none. */
  static INDArray maskOfRows(INDArray mask) {
    return mask == null ? null : mask.reshape(mask.size(0), 1, pixelsIn(mask.shape()));
  }

  /** A mask [N, P, 1] of the descriptors; null for none. */
  static SDVariable maskOfDescriptors(SameDiff sd, SDVariable mask) {
    return mask == null ? null : sd.reshape(mask, -1, pixelsIn(mask.getShape()), 1);
  }

  /** What makes a mean over the pixels that count of one over all pixels, [N, 1]. */
  static SDVariable growth(SameDiff sd, SDVariable mask) {
    return sd.reshape(maskOfRows(sd, mask).mean(true, 2), -1, 1).rdiv(1.0);
  }

  /** What makes a mean over the pixels that count of one over all pixels, [N, 1]. */
  static INDArray growth(INDArray mask) {
    return maskOfRows(mask).mean(2).rdivi(1);
  }

  private static long pixelsIn(long[] shapeOfMask) {
    return shapeOfMask[2] * shapeOfMask[3];
  }

  /** The maps of each image as the rows of a matrix, F [N, C, P]. */
  INDArray rows(INDArray input) {
    INDArray channelsFirst = channelsLast() ? input.permute(0, 3, 1, 2) : input;
    long[] shape = channelsFirst.shape();
    return channelsFirst.reshape(shape[0], shape[1], shape[2] * shape[3]);
  }

  /** The inverse of {@link #rows(INDArray)}: brings F [N, C, P] into the shape of an input. */
  INDArray fromRows(INDArray rows, INDArray input) {
    if (!channelsLast()) {
      return rows.reshape(input.shape());
    }
    return rows.reshape(input.size(0), input.size(3), input.size(1), input.size(2))
        .permute(0, 2, 3, 1);
  }

  /** The descriptors of each image, what all maps show at a position, X [N, P, C]. */
  SDVariable descriptors(SameDiff sd, SDVariable input) {
    SDVariable channelsLast = channelsLast() ? input : sd.permute(input, 0, 2, 3, 1);
    return sd.reshape(channelsLast, -1, pixelsOf(input), channelsOf(input));
  }

  /** The descriptors of each image, what all maps show at a position, X [N, P, C]. */
  INDArray descriptors(INDArray input) {
    INDArray channelsLast = channelsLast() ? input : input.permute(0, 2, 3, 1);
    long[] shape = channelsLast.shape();
    return channelsLast.dup('c').reshape(shape[0], shape[1] * shape[2], shape[3]);
  }

  /** The inverse of {@link #descriptors(INDArray)}: brings X [N, P, C] into the input's shape. */
  INDArray fromDescriptors(INDArray descriptors, INDArray input) {
    if (channelsLast()) {
      return descriptors.reshape(input.shape());
    }
    return descriptors
        .reshape(input.size(0), input.size(2), input.size(3), input.size(1))
        .permute(0, 3, 1, 2);
  }
}
