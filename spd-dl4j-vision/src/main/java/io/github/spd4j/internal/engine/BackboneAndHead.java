/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.engine;

import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.internal.dl4j.GraphView;
import io.github.spd4j.internal.dl4j.Subgraph;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.apache.commons.lang3.Validate;
import org.deeplearning4j.nn.graph.ComputationGraph;

/** A network in two parts: the backbone up to the cut, and the head after it. */
public final class BackboneAndHead {

  private static final String CUT = Backbone.MAPS;

  private final ComputationGraph net;
  private final Set<String> head;

  /**
   * Cuts a network where its backbone ends.
   *
   * @param net a network with one input and one output, and a vertex {@link Backbone#MAPS}
   */
  public BackboneAndHead(ComputationGraph net) {
    Objects.requireNonNull(net, "net");
    this.net = net;
    GraphView graph = new GraphView(net);
    Validate.isTrue(
        net.getNumInputArrays() == 1 && net.getNumOutputArrays() == 1,
        "expected a network with one input and one output, got inputs %s and outputs %s",
        graph.configuration().getNetworkInputs(),
        graph.configuration().getNetworkOutputs());
    Validate.isTrue(
        graph.names().contains(CUT),
        "expected a network with a vertex '%s' where its backbone ends, as those of SpdGraft have and"
            + " Backbone.marked() makes, got one of %s",
        CUT,
        graph.names());
    this.head = graph.after(CUT);
    requireCleanCut(graph);
  }

  private void requireCleanCut(GraphView graph) {
    Validate.isTrue(
        head.containsAll(graph.configuration().getNetworkOutputs()),
        "expected a cut before the output %s, got '%s', which does not lead there",
        graph.configuration().getNetworkOutputs(),
        CUT);
    Set<String> bypasses = new TreeSet<>();
    for (String vertex : head) {
      for (String input : graph.inputsOf(vertex)) {
        if (!input.equals(CUT) && !head.contains(input)) {
          bypasses.add(input + " → " + vertex);
        }
      }
    }
    Validate.isTrue(
        bypasses.isEmpty(),
        "expected a cut that everything passes through, got '%s', which these go around: %s",
        CUT,
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
   * The vertices after the cut.
   *
   * @return their names
   */
  public Set<String> headVertices() {
    return head;
  }

  /**
   * The head as a network of its own, whose input is the output of the cut.
   *
   * @return a network with copies of the configurations and of the parameters
   */
  public ComputationGraph detachedHead() {
    return Subgraph.after(net, CUT);
  }

  /**
   * The backbone as a network of its own, whose output is that of the cut.
   *
   * @return a network with copies of the configurations and of the parameters
   */
  public ComputationGraph detachedBackbone() {
    return Subgraph.upTo(net, CUT);
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
