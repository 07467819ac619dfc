/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.graft;

import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.internal.dl4j.GraphView;
import java.util.Map;
import java.util.Set;
import org.apache.commons.lang3.Validate;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.graph.GraphVertex;
import org.deeplearning4j.nn.conf.graph.LayerVertex;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.inputs.InputType.InputTypeConvolutional;
import org.deeplearning4j.nn.conf.preprocessor.FeedForwardToCnnPreProcessor;

/** The feature maps that a backbone makes where it is cut. */
final class FeatureMaps {

  private final GraphView backbone;
  private final String layer;
  private final InputTypeConvolutional type;
  private final boolean sizeKnown;

  /**
   * Finds out what a layer puts out, by DL4J's own rules for the types of activations.
   *
   * @param network the network, and the last layer to be kept
   * @param given what it takes, or null if that can be inferred
   */
  FeatureMaps(Backbone network, InputType given) {
    this.backbone = new GraphView(network.net());
    this.layer = network.cut();
    ImageInput images = ImageInput.of(backbone, given, network.size());
    InputType output = typesUpTo(layer, images).get(layer);
    Validate.isTrue(
        output instanceof InputTypeConvolutional,
        "expected to cut after a layer whose output is feature maps, got '%s' with %s",
        layer,
        output);
    this.type = (InputTypeConvolutional) output;
    this.sizeKnown = images.sizeKnown;
    if (type.getHeight() < 1 || type.getWidth() < 1) {
      throw tooSmall(images, null);
    }
  }

  private Map<String, InputType> typesUpTo(String last, ImageInput images) {
    // The builder works on a copy of the configuration.
    ComputationGraphConfiguration.GraphBuilder kept =
        new ComputationGraphConfiguration.GraphBuilder(
            backbone.configuration(), new NeuralNetConfiguration.Builder());
    Set<String> names = backbone.upTo(last);
    backbone.names().stream()
        .filter(name -> !names.contains(name))
        .forEach(name -> kept.removeVertex(name, true));
    kept.getVertices().values().forEach(FeatureMaps::takeImagesOfAnySize);
    kept.allowDisconnected(true).allowNoOutput(true).setInputTypes(images.type);
    try {
      return kept.getLayerActivationTypes();
    } catch (RuntimeException e) {
      throw tooSmall(images, e);
    }
  }

  /** Takes off the preprocessor that insists on one size, though it lets any image through. */
  private static void takeImagesOfAnySize(GraphVertex vertex) {
    if (vertex instanceof LayerVertex
        && ((LayerVertex) vertex).getPreProcessor() instanceof FeedForwardToCnnPreProcessor) {
      ((LayerVertex) vertex).setPreProcessor(null);
    }
  }

  private IllegalArgumentException tooSmall(ImageInput images, Throwable cause) {
    return new IllegalArgumentException(
        String.format(
            "expected images for which the backbone has feature maps at '%s', got %s%s",
            layer,
            images.type,
            cause instanceof IllegalArgumentException ? ": " + cause.getMessage() : ""),
        cause);
  }

  GraphView backbone() {
    return backbone;
  }

  String layer() {
    return layer;
  }

  /** Their number and size. Height and width may be those of an example. */
  InputTypeConvolutional type() {
    return type;
  }

  /** Refuses if it is not known how large the images will be. */
  void requireSize() {
    Validate.isTrue(
        sizeKnown,
        "new fully connected layers need a backbone that tells the size of its images:"
            + " withSize(pixels), got one that does not");
  }
}
