/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.dl4j;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.commons.lang3.Validate;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration;
import org.deeplearning4j.nn.conf.graph.MergeVertex;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.graph.vertex.GraphVertex;

/**
 * Some vertices of a network as a network of their own, with copies of configurations and
 * parameters. The whole network cannot stand in for its beginning: asked for the output of an inner
 * vertex, DL4J leaves a workspace open.
 */
public final class Subgraph {

  private Subgraph() {}

  /**
   * The beginning of a network.
   *
   * @param net the network, which is not changed
   * @param last the vertex whose output becomes the output
   * @return the vertex and all that it depends on
   */
  public static ComputationGraph upTo(ComputationGraph net, String last) {
    ComputationGraphConfiguration copy = copyOf(net.getConfiguration());
    retain(copy, new GraphView(net).upTo(last));
    copy.setNetworkOutputs(List.of(last));
    return network(copy, net);
  }

  /**
   * A network in which a vertex that changes nothing marks a place.
   *
   * @param net the network, which is not changed
   * @param place the vertex whose output goes through the mark to wherever it is needed
   * @param mark the name of the new vertex, or of one that is taken out for it
   * @return a network with copies of configurations and parameters
   */
  public static ComputationGraph marked(ComputationGraph net, String place, String mark) {
    ComputationGraphConfiguration copy = copyOf(net.getConfiguration());
    mark(copy, place, mark);
    return network(copy, net);
  }

  /**
   * The beginning of a network, {@linkplain #marked marked}.
   *
   * @param net the network, which is not changed
   * @param last the last vertex to keep; with the mark after it, if that is the place
   * @param place the vertex before the mark
   * @param mark the name of the mark; nothing is added if it is the place itself
   * @return the last vertex and all that it depends on
   */
  public static ComputationGraph upTo(
      ComputationGraph net, String last, String place, String mark) {
    ComputationGraphConfiguration copy = copyOf(net.getConfiguration());
    retain(copy, new GraphView(net).upTo(last));
    if (!place.equals(mark)) {
      mark(copy, place, mark);
    }
    copy.setNetworkOutputs(List.of(last.equals(place) ? mark : last));
    return network(copy, net);
  }

  /** A merge of one input hands it on as it is. */
  private static void mark(ComputationGraphConfiguration graph, String place, String mark) {
    org.deeplearning4j.nn.conf.graph.GraphVertex old = graph.getVertices().get(mark);
    if (old != null) {
      Validate.isTrue(
          WrappedLayers.thawed(old) instanceof MergeVertex,
          "expected a network without a layer '%s', got one that has it before '%s'",
          mark,
          place);
      rewire(graph, mark, graph.getVertexInputs().remove(mark).get(0));
      graph.getVertices().remove(mark);
    }
    rewire(graph, place, mark);
    graph.getVertices().put(mark, new MergeVertex());
    graph.getVertexInputs().put(mark, List.of(place));
  }

  private static void rewire(ComputationGraphConfiguration graph, String from, String to) {
    graph
        .getVertexInputs()
        .replaceAll(
            (vertex, inputs) -> {
              List<String> others = new ArrayList<>(inputs);
              others.replaceAll(input -> input.equals(from) ? to : input);
              return others;
            });
  }

  /**
   * The end of a network.
   *
   * @param net the network, which is not changed
   * @param cut the vertex whose output becomes the input; nothing may go around it
   * @return all vertices after it, with the listeners of the network
   */
  public static ComputationGraph after(ComputationGraph net, String cut) {
    ComputationGraphConfiguration copy = copyOf(net.getConfiguration());
    retain(copy, new GraphView(net).after(cut));
    copy.setNetworkInputs(List.of(cut));
    ComputationGraph part = network(copy, net);
    part.setListeners(net.getListeners());
    return part;
  }

  private static void retain(ComputationGraphConfiguration graph, Set<String> vertices) {
    graph.getVertices().keySet().retainAll(vertices);
    graph.getVertexInputs().keySet().retainAll(vertices);
  }

  private static ComputationGraph network(
      ComputationGraphConfiguration copy, ComputationGraph source) {
    copy.setTopologicalOrder(null);
    copy.setTopologicalOrderStr(null);
    ComputationGraph part = new ComputationGraph(copy);
    part.init();
    copyParameters(part, source, part);
    return part;
  }

  /** A copy of a configuration. The {@code clone} of a merge forgets along which axis it merges. */
  static ComputationGraphConfiguration copyOf(ComputationGraphConfiguration configuration) {
    ComputationGraphConfiguration copy = configuration.clone();
    configuration
        .getVertices()
        .forEach(
            (name, vertex) -> {
              if (WrappedLayers.thawed(vertex) instanceof MergeVertex) {
                MergeVertex original = (MergeVertex) WrappedLayers.thawed(vertex);
                ((MergeVertex) WrappedLayers.thawed(copy.getVertices().get(name)))
                    .setMergeAxis(original.getMergeAxis());
              }
            });
    return copy;
  }

  /**
   * Brings parameters back into the network that a part was taken from.
   *
   * @param part the part
   * @param net the network, whose layers of the same names take up the parameters
   */
  public static void copyBack(ComputationGraph part, ComputationGraph net) {
    copyParameters(part, part, net);
  }

  private static void copyParameters(
      ComputationGraph which, ComputationGraph from, ComputationGraph to) {
    for (GraphVertex vertex : which.getVertices()) {
      if (vertex.hasLayer()) {
        Layer target = to.getLayer(vertex.getVertexName());
        Layer source = from.getLayer(vertex.getVertexName());
        // Entries of the table are views; DL4J's own setters of SameDiff layers assign nothing.
        source.paramTable().forEach((name, p) -> target.paramTable().get(name).assign(p));
      }
    }
  }
}
