/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.dl4j;

import java.util.List;
import java.util.Set;
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
    copy.setNetworkOutputs(List.of(last));
    return network(copy, new GraphView(net).upTo(last), net);
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
    copy.setNetworkInputs(List.of(cut));
    ComputationGraph part = network(copy, new GraphView(net).after(cut), net);
    part.setListeners(net.getListeners());
    return part;
  }

  private static ComputationGraph network(
      ComputationGraphConfiguration copy, Set<String> vertices, ComputationGraph source) {
    copy.getVertices().keySet().retainAll(vertices);
    copy.getVertexInputs().keySet().retainAll(vertices);
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
