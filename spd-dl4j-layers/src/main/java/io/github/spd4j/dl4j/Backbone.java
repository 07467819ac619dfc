/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.dl4j;

import io.github.spd4j.acceleration.Acceleration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration;
import org.deeplearning4j.nn.conf.graph.FrozenVertex;
import org.deeplearning4j.nn.conf.graph.MergeVertex;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.graph.vertex.GraphVertex;

/** A network in two parts: the backbone up to the cut, and the head after it. */
public final class Backbone {

  private final ComputationGraph net;
  private final String cut;
  private final Set<String> head;

  /**
   * Cuts a network.
   *
   * @param net a network with one input and one output
   * @param cut the last vertex of the backbone
   */
  public Backbone(ComputationGraph net, String cut) {
    this.net = net;
    this.cut = cut;
    ComputationGraphConfiguration conf = net.getConfiguration();
    if (net.getNumInputArrays() != 1 || net.getNumOutputArrays() != 1) {
      throw new IllegalArgumentException(
          "expected a network with one input and one output, got inputs "
              + conf.getNetworkInputs()
              + " and outputs "
              + conf.getNetworkOutputs());
    }
    if (!conf.getVertices().containsKey(cut)) {
      throw new IllegalArgumentException(
          "expected a vertex of the network to cut after, got '"
              + cut
              + "'; the vertices are "
              + conf.getVertices().keySet());
    }
    this.head = after(cut, conf.getVertexInputs());
    requireCleanCut(conf);
  }

  /** All vertices that the cut's output reaches. */
  private static Set<String> after(String cut, Map<String, List<String>> inputs) {
    Set<String> reached = new LinkedHashSet<>();
    boolean grows = true;
    while (grows) {
      grows = false;
      for (Map.Entry<String, List<String>> vertex : inputs.entrySet()) {
        boolean fed =
            vertex.getValue().stream().anyMatch(in -> in.equals(cut) || reached.contains(in));
        grows |= fed && reached.add(vertex.getKey());
      }
    }
    return reached;
  }

  private void requireCleanCut(ComputationGraphConfiguration conf) {
    if (!head.containsAll(conf.getNetworkOutputs())) {
      throw new IllegalArgumentException(
          "expected a cut before the output "
              + conf.getNetworkOutputs()
              + ", got '"
              + cut
              + "', which does not lead there");
    }
    Set<String> bypasses = new TreeSet<>();
    for (String vertex : head) {
      for (String input : conf.getVertexInputs().get(vertex)) {
        if (!input.equals(cut) && !head.contains(input)) {
          bypasses.add(input + " → " + vertex);
        }
      }
    }
    if (!bypasses.isEmpty()) {
      throw new IllegalArgumentException(
          "expected a cut that everything passes through, got '"
              + cut
              + "', which these go around: "
              + bypasses);
    }
  }

  public ComputationGraph net() {
    return net;
  }

  public String cut() {
    return cut;
  }

  /** The vertices after the cut. */
  public Set<String> head() {
    return head;
  }

  /**
   * The head as a network of its own, whose input is the output of the cut. It has copies of the
   * configurations and of the parameters.
   */
  public ComputationGraph detachedHead() {
    ComputationGraphConfiguration conf = configurationOf(net);
    conf.setNetworkInputs(List.of(cut));
    ComputationGraph detached = detach(net, conf, head);
    detached.setListeners(net.getListeners());
    return detached;
  }

  /**
   * The backbone as a network of its own, whose output is that of the cut. The whole network cannot
   * stand in for it: asked for the output of an inner vertex, DL4J leaves a workspace open.
   */
  public ComputationGraph detachedBackbone() {
    ComputationGraphConfiguration conf = configurationOf(net);
    Set<String> vertices = new LinkedHashSet<>(conf.getVertices().keySet());
    vertices.removeAll(head);
    conf.setNetworkOutputs(List.of(cut));
    return detach(net, conf, vertices);
  }

  /**
   * What leads to a vertex, as a network of its own with copies of the parameters. Unlike a cut,
   * the vertex may lie in one of several branches.
   */
  public static ComputationGraph upTo(ComputationGraph net, String vertex) {
    ComputationGraphConfiguration conf = configurationOf(net);
    Set<String> vertices = new LinkedHashSet<>();
    Deque<String> open = new ArrayDeque<>(List.of(vertex));
    while (!open.isEmpty()) {
      String name = open.pop();
      if (vertices.add(name)) {
        open.addAll(conf.getVertexInputs().getOrDefault(name, List.of()));
      }
    }
    conf.setNetworkOutputs(List.of(vertex));
    return detach(net, conf, vertices);
  }

  /** A copy of the network's configuration. A merge's own {@code clone} forgets its axis. */
  private static ComputationGraphConfiguration configurationOf(ComputationGraph net) {
    ComputationGraphConfiguration conf = net.getConfiguration().clone();
    net.getConfiguration()
        .getVertices()
        .forEach(
            (name, vertex) -> {
              if (merge(vertex) != null) {
                merge(conf.getVertices().get(name)).setMergeAxis(merge(vertex).getMergeAxis());
              }
            });
    return conf;
  }

  private static MergeVertex merge(org.deeplearning4j.nn.conf.graph.GraphVertex vertex) {
    if (vertex instanceof FrozenVertex) {
      return merge(((FrozenVertex) vertex).getUnderlying());
    }
    return vertex instanceof MergeVertex ? (MergeVertex) vertex : null;
  }

  private static ComputationGraph detach(
      ComputationGraph net, ComputationGraphConfiguration conf, Set<String> vertices) {
    conf.getVertices().keySet().retainAll(vertices);
    conf.getVertexInputs().keySet().retainAll(vertices);
    conf.setTopologicalOrder(null);
    conf.setTopologicalOrderStr(null);
    ComputationGraph detached = new ComputationGraph(conf);
    detached.init();
    copyLayers(detached, net, detached);
    Acceleration.carryOver(net, detached);
    return detached;
  }

  /** Copies the parameters of a detached head into the network. */
  public void takeUp(ComputationGraph detachedHead) {
    copyLayers(detachedHead, detachedHead, net);
  }

  /** Copies the parameters of all layers that one network has from another to a third. */
  private static void copyLayers(
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
