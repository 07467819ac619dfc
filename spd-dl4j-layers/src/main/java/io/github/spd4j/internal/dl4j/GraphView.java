/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.dl4j;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration;
import org.deeplearning4j.nn.conf.graph.GraphVertex;
import org.deeplearning4j.nn.conf.graph.LayerVertex;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.graph.ComputationGraph;

/** Answers questions about the vertices of a network, and leaves the network unchanged. */
public final class GraphView {

  private final ComputationGraphConfiguration configuration;

  /**
   * A view of a network.
   *
   * @param net the network
   */
  public GraphView(ComputationGraph net) {
    this.configuration = net.getConfiguration();
  }

  /**
   * The configuration of the network.
   *
   * @return the configuration itself, not to be changed
   */
  public ComputationGraphConfiguration configuration() {
    return configuration;
  }

  /**
   * The names of all vertices; the network's inputs are none.
   *
   * @return names, in the order of the configuration
   */
  public Set<String> names() {
    return configuration.getVertices().keySet();
  }

  /**
   * Where a vertex gets its input from.
   *
   * @param name a vertex, or an input of the network
   * @return names of vertices and inputs; none for an input
   */
  public List<String> inputsOf(String name) {
    return configuration.getVertexInputs().getOrDefault(name, List.of());
  }

  /**
   * Where the output of a vertex goes.
   *
   * @param name a vertex, or an input of the network
   * @return names of vertices
   */
  List<String> outputsOf(String name) {
    List<String> outputs = new ArrayList<>(names());
    outputs.removeIf(other -> !inputsOf(other).contains(name));
    return outputs;
  }

  /**
   * What a vertex depends on.
   *
   * @param vertex its name
   * @return the names of the vertex itself and of all that lead to it, inputs of the network among
   *     them
   */
  public Set<String> upTo(String vertex) {
    return reached(vertex, this::inputsOf);
  }

  /**
   * What depends on a vertex.
   *
   * @param name a vertex, or an input of the network
   * @return the names of all vertices that its output reaches, the nearest first
   */
  public Set<String> after(String name) {
    Set<String> found = reached(name, this::outputsOf);
    found.remove(name);
    return found;
  }

  private static Set<String> reached(String start, Function<String, List<String>> next) {
    Set<String> found = new LinkedHashSet<>();
    Deque<String> open = new ArrayDeque<>(List.of(start));
    while (!open.isEmpty()) {
      String name = open.removeFirst();
      if (found.add(name)) {
        open.addAll(next.apply(name));
      }
    }
    return found;
  }

  /**
   * The layer of a vertex.
   *
   * @param vertex its name
   * @return the configuration of the layer that computes, inside all wrappers; null if the vertex
   *     has none
   */
  public Layer layer(String vertex) {
    GraphVertex found = configuration.getVertices().get(vertex);
    return found instanceof LayerVertex
        ? WrappedLayers.unwrapped(((LayerVertex) found).getLayerConf().getLayer())
        : null;
  }
}
