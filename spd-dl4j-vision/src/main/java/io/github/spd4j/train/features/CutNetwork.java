/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.features;

import io.github.spd4j.internal.dl4j.GraphView;
import io.github.spd4j.internal.dl4j.Subgraph;
import java.util.Set;
import java.util.TreeSet;
import org.apache.commons.lang3.Validate;
import org.deeplearning4j.nn.graph.ComputationGraph;

/** A network in two parts: the backbone up to the cut, and the head after it. */
public final class CutNetwork {

  private final ComputationGraph net;
  private final String cut;
  private final Set<String> head;

  /**
   * Cuts a network.
   *
   * @param net a network with one input and one output
   * @param cut the last vertex of the backbone
   */
  public CutNetwork(ComputationGraph net, String cut) {
    this.net = net;
    this.cut = cut;
    GraphView graph = new GraphView(net);
    Validate.isTrue(
        net.getNumInputArrays() == 1 && net.getNumOutputArrays() == 1,
        "expected a network with one input and one output, got inputs %s and outputs %s",
        graph.configuration().getNetworkInputs(),
        graph.configuration().getNetworkOutputs());
    Validate.isTrue(
        graph.names().contains(cut),
        "expected a vertex of the network to cut after, got '%s'; the vertices are %s",
        cut,
        graph.names());
    this.head = graph.after(cut);
    requireCleanCut(graph);
  }

  private void requireCleanCut(GraphView graph) {
    Validate.isTrue(
        head.containsAll(graph.configuration().getNetworkOutputs()),
        "expected a cut before the output %s, got '%s', which does not lead there",
        graph.configuration().getNetworkOutputs(),
        cut);
    Set<String> bypasses = new TreeSet<>();
    for (String vertex : head) {
      for (String input : graph.inputsOf(vertex)) {
        if (!input.equals(cut) && !head.contains(input)) {
          bypasses.add(input + " → " + vertex);
        }
      }
    }
    Validate.isTrue(
        bypasses.isEmpty(),
        "expected a cut that everything passes through, got '%s', which these go around: %s",
        cut,
        bypasses);
  }

  /**
   * The whole network.
   *
   * @return the network itself
   */
  public ComputationGraph net() {
    return net;
  }

  /**
   * The last vertex of the backbone.
   *
   * @return its name
   */
  public String cut() {
    return cut;
  }

  /**
   * The vertices after the cut.
   *
   * @return their names
   */
  public Set<String> head() {
    return head;
  }

  /**
   * The head as a network of its own, whose input is the output of the cut.
   *
   * @return a network with copies of the configurations and of the parameters
   */
  public ComputationGraph detachedHead() {
    return Subgraph.after(net, cut);
  }

  /**
   * The backbone as a network of its own, whose output is that of the cut.
   *
   * @return a network with copies of the configurations and of the parameters
   */
  public ComputationGraph detachedBackbone() {
    return upTo(net, cut);
  }

  /**
   * What leads to a vertex, as a network of its own. Unlike a cut, the vertex may lie in one of
   * several branches.
   *
   * @param net the network
   * @param vertex the vertex whose output becomes the output
   * @return a network with copies of the configurations and of the parameters
   */
  public static ComputationGraph upTo(ComputationGraph net, String vertex) {
    return Subgraph.upTo(net, vertex);
  }

  /**
   * Copies the parameters of a detached head into the network.
   *
   * @param detachedHead what {@link #detachedHead} returned
   */
  public void takeBack(ComputationGraph detachedHead) {
    Subgraph.copyBack(detachedHead, net);
  }
}
