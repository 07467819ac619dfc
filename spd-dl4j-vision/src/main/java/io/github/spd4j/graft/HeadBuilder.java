/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.graft;

import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.layers.SpdLayer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.commons.lang3.Validate;
import org.deeplearning4j.exception.DL4JInvalidConfigException;
import org.deeplearning4j.nn.conf.InputPreProcessor;
import org.deeplearning4j.nn.conf.graph.GraphVertex;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.inputs.InvalidInputTypeException;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.conf.preprocessor.CnnToFeedForwardPreProcessor;
import org.deeplearning4j.nn.transferlearning.TransferLearning;

/**
 * Puts one part after another on a backbone that was cut. The size of each follows from what comes
 * before, by DL4J's own rules for input types.
 */
final class HeadBuilder {

  private final TransferLearning.GraphBuilder graph;
  private final Set<String> kept;
  private final FeatureMaps maps;
  private final Map<String, InputType> types = new HashMap<>();

  /** The vertices whose output is as large as the images make it. */
  private final Set<String> ofImageSize = new HashSet<>();

  private String last;

  /**
   * Begins with the feature maps.
   *
   * @param graph what is left of the backbone
   * @param kept the names of its vertices
   * @param maps those where the backbone was cut
   */
  HeadBuilder(TransferLearning.GraphBuilder graph, Set<String> kept, FeatureMaps maps) {
    this.graph = graph;
    this.kept = kept;
    this.maps = maps;
    continueFrom(Backbone.MAPS, maps.type());
    ofImageSize.add(Backbone.MAPS);
  }

  FeatureMaps maps() {
    return maps;
  }

  /** Goes on from a vertex, whose output is of this type. */
  void continueFrom(String vertex, InputType output) {
    this.last = vertex;
    types.put(vertex, output);
  }

  /** Goes on from the backbone's own fully connected layers; returns false if it has none. */
  boolean continueFromFullyConnected() {
    return FullyConnected.continueFromLast(this);
  }

  /** Puts a layer on its input, with a preprocessor before it if it needs one. */
  void add(String name, Layer.Builder<?> builder, List<String> inputs) {
    requireFree(name);
    String input = inputs.isEmpty() ? last : vertex(inputs.get(0));
    InputType given = types.get(input);
    Layer layer = builder.build();
    InputPreProcessor preProcessor = layer.getPreProcessorForInputType(given);
    if (preProcessor instanceof CnnToFeedForwardPreProcessor && ofImageSize.contains(input)) {
      maps.requireSize();
    }
    InputType type = preProcessor == null ? given : preProcessor.getOutputType(given);
    layer.setNIn(type, true);
    graph.addLayer(name, layer, preProcessor, input); // which tells it what holds for all layers
    continueFrom(name, outputOf(layer, type));
    if (ofImageSize.contains(input) && !(layer instanceof SpdLayer)) {
      ofImageSize.add(name);
    }
  }

  private static InputType outputOf(Layer layer, InputType input) {
    try {
      return layer.getOutputType(0, input);
    } catch (DL4JInvalidConfigException e) { // such as maps that are too small
      throw new IllegalArgumentException(
          String.format(
              "expected input that fits layer '%s', got %s: %s",
              layer.getLayerName(), input, e.getMessage()),
          e);
    }
  }

  /** Puts a vertex without parameters on its inputs. */
  void add(String name, GraphVertex vertex, List<String> inputs) {
    requireFree(name);
    String[] all =
        inputs.isEmpty()
            ? new String[] {last}
            : inputs.stream().map(this::vertex).toArray(String[]::new);
    InputType[] given = Stream.of(all).map(types::get).toArray(InputType[]::new);
    try {
      InputType output = vertex.clone().getOutputType(0, given.clone());
      graph.addVertex(name, vertex, all);
      continueFrom(name, output);
    } catch (InvalidInputTypeException e) {
      throw new IllegalArgumentException(
          String.format(
              "expected inputs that fit together for '%s', got %s from %s",
              name, Arrays.toString(given), Arrays.toString(all)),
          e);
    }
  }

  private String vertex(String name) {
    Validate.isTrue(
        types.containsKey(name), "expected an input that this backbone's head has, got '%s'", name);
    return name;
  }

  private void requireFree(String name) {
    Validate.isTrue(
        !kept.contains(name),
        "expected a backbone without a layer '%s', which the head needs, got one that has it up to"
            + " the cut: cut before it",
        name);
  }
}
