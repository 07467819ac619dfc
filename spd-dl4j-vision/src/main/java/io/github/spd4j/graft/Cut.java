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

/** The place after which a backbone is cut, and the feature maps there. */
final class Cut {

  private final GraphView backbone;
  private final String layer;
  private final InputTypeConvolutional maps;
  private final boolean sizeKnown;

  /**
   * Finds out what a layer puts out, by DL4J's own rules for the types of activations.
   *
   * @param network the network, and the last layer to be kept
   * @param given what it takes, or null if that can be inferred
   */
  Cut(Backbone network, InputType given) {
    this.backbone = new GraphView(network.net());
    this.layer = network.cut();
    ImageInput images = ImageInput.of(backbone, given, network.size());
    InputType type = typesUpTo(layer, images).get(layer);
    Validate.isTrue(
        type instanceof InputTypeConvolutional,
        "expected to cut after a layer whose output is feature maps, got '%s' with %s",
        layer,
        type);
    this.maps = (InputTypeConvolutional) type;
    this.sizeKnown = images.sizeKnown;
    if (maps.getHeight() < 1 || maps.getWidth() < 1) {
      throw tooSmall(images, null);
    }
  }

  private Map<String, InputType> typesUpTo(String last, ImageInput images) {
    // The builder works on a copy of the configuration.
    ComputationGraphConfiguration.GraphBuilder trunk =
        new ComputationGraphConfiguration.GraphBuilder(
            backbone.configuration(), new NeuralNetConfiguration.Builder());
    Set<String> kept = backbone.upTo(last);
    backbone.names().stream()
        .filter(name -> !kept.contains(name))
        .forEach(name -> trunk.removeVertex(name, true));
    trunk.getVertices().values().forEach(Cut::takeImagesOfAnySize);
    trunk.allowDisconnected(true).allowNoOutput(true).setInputTypes(images.type);
    try {
      return trunk.getLayerActivationTypes();
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
            "expected images for which the backbone has feature maps at '%s', got %s",
            layer, images.type),
        cause);
  }

  GraphView backbone() {
    return backbone;
  }

  String layer() {
    return layer;
  }

  /** The feature maps. Height and width may be those of an example. */
  InputTypeConvolutional maps() {
    return maps;
  }

  /** Refuses if it is not known how large the images will be. */
  void requireSize() {
    Validate.isTrue(
        sizeKnown,
        "new fully connected layers need a backbone that tells the size of its images:"
            + " withSize(pixels), got one that does not");
  }
}
