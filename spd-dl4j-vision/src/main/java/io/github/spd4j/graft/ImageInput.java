/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.graft;

import io.github.spd4j.internal.dl4j.GraphView;
import io.github.spd4j.layers.SpdLayer;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.deeplearning4j.nn.conf.InputPreProcessor;
import org.deeplearning4j.nn.conf.graph.GraphVertex;
import org.deeplearning4j.nn.conf.graph.LayerVertex;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.inputs.InputType.InputTypeConvolutional;
import org.deeplearning4j.nn.conf.layers.BatchNormalization;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer;
import org.deeplearning4j.nn.conf.layers.FeedForwardLayer;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.conf.preprocessor.FeedForwardToCnnPreProcessor;

/**
 * The images that a backbone takes. DL4J does not store the input type of a network, so it has to
 * be read off the first layers.
 */
final class ImageInput {

  /** The height and width of the images where only the number of feature maps matters. */
  private static final int EXAMPLE_SIZE = 224;

  final InputTypeConvolutional type;

  /** Whether height and width are those of the images to come, or only an example. */
  final boolean sizeKnown;

  private ImageInput(InputType type, boolean sizeKnown) {
    this.type = (InputTypeConvolutional) type;
    this.sizeKnown = sizeKnown;
  }

  /**
   * Finds out what a backbone takes.
   *
   * @param backbone the backbone
   * @param given what the user says that it takes, or null
   * @param size height and width of the images if no more is said, or 0
   */
  static ImageInput of(GraphView backbone, InputType given, int size) {
    List<String> inputs = backbone.configuration().getNetworkInputs();
    if (inputs.size() != 1) {
      throw new IllegalArgumentException("expected a backbone with one input, got " + inputs);
    }
    Optional<ImageInput> inferred =
        backbone.after(inputs.get(0)).stream()
            .map(name -> expectedBy(name, backbone))
            .filter(Objects::nonNull)
            .findFirst();
    if (given != null) {
      return checked(given, inferred);
    }
    ImageInput known =
        inferred.orElseThrow(
            () ->
                new IllegalArgumentException(
                    "expected inputType(InputType.convolutional(height, width, channels)) on the"
                        + " graft: no layer of the backbone tells how many channels its images"
                        + " have"));
    return size == 0 ? known : known.ofSize(size);
  }

  private ImageInput ofSize(int size) {
    return new ImageInput(
        InputType.convolutional(size, size, type.getChannels(), type.getFormat()), true);
  }

  private static ImageInput checked(InputType given, Optional<ImageInput> inferred) {
    if (!(given instanceof InputTypeConvolutional)) {
      throw new IllegalArgumentException("expected a convolutional input type, got " + given);
    }
    ImageInput images = new ImageInput(given, true);
    InputTypeConvolutional known = inferred.orElse(images).type;
    if (images.type.getChannels() != known.getChannels()
        || images.type.getFormat() != known.getFormat()) {
      throw new IllegalArgumentException(
          String.format(
              "expected images of %d channels in %s, which the backbone takes, got %s",
              known.getChannels(), known.getFormat(), given));
    }
    return images;
  }

  /** What a vertex tells about the images, or null. */
  private static ImageInput expectedBy(String name, GraphView backbone) {
    GraphVertex vertex = backbone.configuration().getVertices().get(name);
    if (!(vertex instanceof LayerVertex)) {
      return null;
    }
    InputPreProcessor preProcessor = ((LayerVertex) vertex).getPreProcessor();
    if (preProcessor instanceof FeedForwardToCnnPreProcessor) {
      FeedForwardToCnnPreProcessor flat = (FeedForwardToCnnPreProcessor) preProcessor;
      return new ImageInput(
          InputType.convolutional(
              flat.getInputHeight(), flat.getInputWidth(), flat.getNumChannels(), CNN2DFormat.NCHW),
          true);
    }
    Layer layer = backbone.layer(name);
    if (layer instanceof FeedForwardLayer && ((FeedForwardLayer) layer).getNIn() > 0) {
      long channels = ((FeedForwardLayer) layer).getNIn();
      return new ImageInput(
          InputType.convolutional(EXAMPLE_SIZE, EXAMPLE_SIZE, channels, format(layer)), false);
    }
    return null;
  }

  private static CNN2DFormat format(Layer layer) {
    CNN2DFormat format = null;
    if (layer instanceof ConvolutionLayer) {
      format = ((ConvolutionLayer) layer).getCnn2dDataFormat();
    } else if (layer instanceof BatchNormalization) {
      format = ((BatchNormalization) layer).getCnn2DFormat();
    } else if (layer instanceof SpdLayer) {
      format = ((SpdLayer) layer).getDataFormat();
    }
    return format == null ? CNN2DFormat.NCHW : format;
  }
}
