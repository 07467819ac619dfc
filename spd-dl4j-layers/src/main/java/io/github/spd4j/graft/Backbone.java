/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.graft;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.graph.FrozenVertex;
import org.deeplearning4j.nn.conf.graph.GraphVertex;
import org.deeplearning4j.nn.conf.graph.LayerVertex;
import org.deeplearning4j.nn.conf.graph.MergeVertex;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.inputs.InputType.InputTypeConvolutional;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.conf.layers.misc.FrozenLayer;
import org.deeplearning4j.nn.conf.layers.misc.FrozenLayerWithBackprop;
import org.deeplearning4j.nn.conf.preprocessor.FeedForwardToCnnPreProcessor;
import org.deeplearning4j.nn.graph.ComputationGraph;

/** Answers questions about a network that is to be cut, and leaves it unchanged. */
final class Backbone {

  private final ComputationGraph graph;
  private final ComputationGraphConfiguration configuration;

  private Backbone(ComputationGraph graph) {
    this.graph = graph;
    this.configuration = graph.getConfiguration();
  }

  static Backbone of(ComputationGraph graph) {
    return new Backbone(graph);
  }

  ComputationGraphConfiguration configuration() {
    return configuration;
  }

  boolean has(String vertex) {
    return configuration.getVertices().containsKey(vertex);
  }

  /** Refuses a name that no vertex has. */
  void requireVertex(String name) {
    if (!has(name)) {
      throw new IllegalArgumentException(
          "expected the name of a layer of the backbone, one of "
              + configuration.getVertices().keySet()
              + ", got "
              + name);
    }
  }

  /** The names of what a vertex depends on, and its own, the network's input among them. */
  List<String> upTo(String vertex) {
    Set<String> found = new HashSet<>();
    Deque<String> open = new ArrayDeque<>(List.of(vertex));
    while (!open.isEmpty()) {
      String name = open.pop();
      if (found.add(name)) {
        open.addAll(inputsOf(name));
      }
    }
    return new ArrayList<>(found);
  }

  List<String> inputsOf(String vertex) {
    return configuration.getVertexInputs().getOrDefault(vertex, List.of());
  }

  List<String> outputsOf(String vertex) {
    List<String> outputs = new ArrayList<>(configuration.getVertices().keySet());
    outputs.removeIf(name -> !inputsOf(name).contains(vertex));
    return outputs;
  }

  /** The names of all vertices but some. */
  List<String> allBut(List<String> kept) {
    List<String> others = new ArrayList<>(configuration.getVertices().keySet());
    others.removeAll(kept);
    return others;
  }

  /** The layer of a vertex, frozen or not; null if the vertex has none. */
  Layer layer(String vertex) {
    GraphVertex found = configuration.getVertices().get(vertex);
    return found instanceof LayerVertex
        ? thawed(((LayerVertex) found).getLayerConf().getLayer())
        : null;
  }

  private static Layer thawed(Layer layer) {
    if (layer instanceof FrozenLayer) {
      return thawed(((FrozenLayer) layer).getLayer());
    }
    if (layer instanceof FrozenLayerWithBackprop) {
      return thawed(((FrozenLayerWithBackprop) layer).getUnderlying());
    }
    return layer;
  }

  /**
   * Copies of the vertices that merge along another axis than DL4J's default, as they do for NHWC:
   * their own {@code clone} forgets the axis.
   */
  Map<String, GraphVertex> merges() {
    Map<String, GraphVertex> merges = new LinkedHashMap<>();
    configuration
        .getVertices()
        .forEach(
            (name, vertex) -> {
              GraphVertex inner = thawed(vertex);
              if (inner instanceof MergeVertex
                  && ((MergeVertex) inner).getMergeAxis() != MergeVertex.DEFAULT_MERGE_DIM) {
                MergeVertex copy = new MergeVertex();
                copy.setMergeAxis(((MergeVertex) inner).getMergeAxis());
                merges.put(name, copy);
              }
            });
    return merges;
  }

  private static GraphVertex thawed(GraphVertex vertex) {
    return vertex instanceof FrozenVertex ? ((FrozenVertex) vertex).getUnderlying() : vertex;
  }

  /**
   * Finds out what a layer puts out, by DL4J's own rules for the types of activations.
   *
   * @param layer the layer
   * @param given what the backbone takes, or null if it is to tell itself
   */
  Cut cutAfter(String layer, InputType given) {
    Images images = Images.of(this, given);
    InputType type = typesUpTo(layer, images).get(layer);
    if (!(type instanceof InputTypeConvolutional)) {
      throw new IllegalArgumentException(
          "expected to cut after a layer whose output is feature maps, got '"
              + layer
              + "' with "
              + type);
    }
    InputTypeConvolutional maps = (InputTypeConvolutional) type;
    if (maps.getHeight() < 1 || maps.getWidth() < 1) {
      throw tooSmall(layer, images, null);
    }
    return new Cut(layer, maps, images.sizeKnown());
  }

  private Map<String, InputType> typesUpTo(String layer, Images images) {
    // The builder works on a copy of the configuration.
    ComputationGraphConfiguration.GraphBuilder trunk =
        new ComputationGraphConfiguration.GraphBuilder(
            configuration, new NeuralNetConfiguration.Builder());
    allBut(upTo(layer)).forEach(name -> trunk.removeVertex(name, true));
    trunk.getVertices().values().forEach(Backbone::takeImagesOfAnySize);
    trunk.allowDisconnected(true).allowNoOutput(true).setInputTypes(images.type());
    try {
      return trunk.getLayerActivationTypes();
    } catch (RuntimeException e) {
      throw tooSmall(layer, images, e);
    }
  }

  private static IllegalArgumentException tooSmall(String layer, Images images, Throwable cause) {
    return new IllegalArgumentException(
        "expected images for which the backbone has feature maps at '"
            + layer
            + "', got "
            + images.type(),
        cause);
  }

  /** Takes the preprocessor off that insists on one size, though it lets images of any size by. */
  private static void takeImagesOfAnySize(GraphVertex vertex) {
    if (vertex instanceof LayerVertex
        && ((LayerVertex) vertex).getPreProcessor() instanceof FeedForwardToCnnPreProcessor) {
      ((LayerVertex) vertex).setPreProcessor(null);
    }
  }

  /**
   * The network itself, or if some of it is frozen a copy that is not: DL4J would wrap the
   * configuration of a frozen layer twice when it freezes it again.
   */
  ComputationGraph thawed() {
    ComputationGraphConfiguration copy = configuration.clone();
    boolean changed = false;
    for (Map.Entry<String, GraphVertex> entry : copy.getVertices().entrySet()) {
      changed |= thaw(entry);
    }
    if (!changed) {
      return graph;
    }
    merges().forEach((name, merge) -> copy.getVertices().put(name, merge));
    ComputationGraph thawed = new ComputationGraph(copy);
    thawed.init(graph.params(), true);
    return thawed;
  }

  private static boolean thaw(Map.Entry<String, GraphVertex> entry) {
    GraphVertex vertex = entry.getValue();
    if (vertex instanceof FrozenVertex) {
      entry.setValue(thawed(vertex));
      return true;
    }
    if (!(vertex instanceof LayerVertex)) {
      return false;
    }
    NeuralNetConfiguration conf = ((LayerVertex) vertex).getLayerConf();
    Layer layer = thawed(conf.getLayer());
    boolean frozen = layer != conf.getLayer();
    conf.setLayer(layer);
    return frozen;
  }
}
