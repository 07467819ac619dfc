/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.graft;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
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
 * The images that a backbone takes. DL4J does not store the input type of a network, so that they
 * have to be read off its first layers.
 */
final class Images {

  /** The height and width of the images where only the number of feature maps is asked for. */
  private static final int EXAMPLE_SIZE = 224;

  private final InputTypeConvolutional type;
  private final boolean sizeKnown;

  private Images(InputType type, boolean sizeKnown) {
    this.type = (InputTypeConvolutional) type;
    this.sizeKnown = sizeKnown;
  }

  InputType type() {
    return type;
  }

  /** Whether height and width are those of the images to come, or only an example. */
  boolean sizeKnown() {
    return sizeKnown;
  }

  /**
   * Finds out what a backbone takes.
   *
   * @param backbone the backbone
   * @param given what somebody says that it takes, or null if it is to tell itself
   */
  static Images of(Backbone backbone, InputType given) {
    List<String> inputs = backbone.configuration().getNetworkInputs();
    if (inputs.size() != 1) {
      throw new IllegalArgumentException("expected a backbone with one input, got " + inputs);
    }
    Images told = toldBehind(backbone, inputs.get(0));
    if (given != null) {
      return given(given, told);
    }
    if (told == null) {
      throw new IllegalArgumentException(
          "expected inputType(InputType.convolutional(height, width, channels)) on the graft: no layer"
              + " of the backbone tells how many channels its images have");
    }
    return told;
  }

  private static Images given(InputType given, Images told) {
    if (!(given instanceof InputTypeConvolutional)) {
      throw new IllegalArgumentException("expected a convolutional input type, got " + given);
    }
    Images images = new Images(given, true);
    if (told != null
        && (images.type.getChannels() != told.type.getChannels()
            || images.type.getFormat() != told.type.getFormat())) {
      throw new IllegalArgumentException(
          "expected images of "
              + told.type.getChannels()
              + " channels in "
              + told.type.getFormat()
              + ", which the backbone takes, got "
              + given);
    }
    return images;
  }

  /** Images as the layers next to an input tell, or null if none does. */
  private static Images toldBehind(Backbone backbone, String input) {
    Set<String> seen = new HashSet<>();
    Deque<String> open = new ArrayDeque<>(backbone.outputsOf(input));
    while (!open.isEmpty()) {
      String name = open.removeFirst();
      Images told = toldBy(backbone, name);
      if (told != null) {
        return told;
      }
      if (seen.add(name)) {
        open.addAll(backbone.outputsOf(name));
      }
    }
    return null;
  }

  private static Images toldBy(Backbone backbone, String name) {
    GraphVertex vertex = backbone.configuration().getVertices().get(name);
    if (!(vertex instanceof LayerVertex)) {
      return null;
    }
    InputPreProcessor preProcessor = ((LayerVertex) vertex).getPreProcessor();
    if (preProcessor instanceof FeedForwardToCnnPreProcessor) {
      return unflattened((FeedForwardToCnnPreProcessor) preProcessor);
    }
    Layer layer = backbone.layer(name);
    if (layer instanceof FeedForwardLayer && ((FeedForwardLayer) layer).getNIn() > 0) {
      long channels = ((FeedForwardLayer) layer).getNIn();
      return new Images(
          InputType.convolutional(EXAMPLE_SIZE, EXAMPLE_SIZE, channels, format(layer)), false);
    }
    return null;
  }

  private static Images unflattened(FeedForwardToCnnPreProcessor flat) {
    return new Images(
        InputType.convolutional(
            flat.getInputHeight(), flat.getInputWidth(), flat.getNumChannels(), CNN2DFormat.NCHW),
        true);
  }

  private static CNN2DFormat format(Layer layer) {
    CNN2DFormat format = null;
    if (layer instanceof ConvolutionLayer) {
      format = ((ConvolutionLayer) layer).getCnn2dDataFormat();
    } else if (layer instanceof BatchNormalization) {
      format = ((BatchNormalization) layer).getCnn2DFormat();
    }
    return format == null ? CNN2DFormat.NCHW : format;
  }
}
