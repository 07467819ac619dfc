/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.deeplearning4j.nn.api.Layer;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.graph.vertex.GraphVertex;
import org.nd4j.linalg.api.ndarray.INDArray;

/** A network in two parts: the backbone up to the cut, and the head after it. */
final class Backbone {

  private final ComputationGraph net;
  private final String cut;
  private final Set<String> head;

  /**
   * Cuts a network.
   *
   * @param net a network with one input and one output
   * @param cut the last vertex of the backbone
   */
  Backbone(ComputationGraph net, String cut) {
    this.net = net;
    this.cut = cut;
    ComputationGraphConfiguration conf = net.getConfiguration();
    if (net.getNumInputArrays() != 1 || net.getNumOutputArrays() != 1) {
      throw new IllegalArgumentException(
          "wants a network with one input and one output, got inputs "
              + conf.getNetworkInputs()
              + " and outputs "
              + conf.getNetworkOutputs());
    }
    if (!conf.getVertices().containsKey(cut)) {
      throw new IllegalArgumentException(
          "wants a vertex of the network to cut after, got '"
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
          "wants a cut before the output "
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
          "wants a cut that everything passes through, got '"
              + cut
              + "', which these go around: "
              + bypasses);
    }
  }

  ComputationGraph net() {
    return net;
  }

  String cut() {
    return cut;
  }

  /** The vertices after the cut. */
  Set<String> head() {
    return head;
  }

  /**
   * The head as a network of its own, whose input is the output of the cut. It has copies of the
   * configurations and of the parameters.
   */
  ComputationGraph detachedHead() {
    ComputationGraphConfiguration conf = net.getConfiguration().clone();
    conf.getVertices().keySet().retainAll(head);
    conf.getVertexInputs().keySet().retainAll(head);
    conf.setNetworkInputs(List.of(cut));
    conf.setTopologicalOrder(null);
    conf.setTopologicalOrderStr(null);
    ComputationGraph detached = new ComputationGraph(conf);
    detached.init();
    copyLayers(net, detached);
    detached.setListeners(net.getListeners());
    return detached;
  }

  /** Copies the parameters of a detached head into the network. */
  void takeUp(ComputationGraph detachedHead) {
    copyLayers(detachedHead, net);
  }

  private void copyLayers(ComputationGraph from, ComputationGraph to) {
    for (GraphVertex vertex : from.getVertices()) {
      if (vertex.hasLayer() && head.contains(vertex.getVertexName())) {
        Layer target = to.getLayer(vertex.getVertexName());
        for (Map.Entry<String, INDArray> parameter : vertex.getLayer().paramTable().entrySet()) {
          // Entries of the table are views; DL4J's own setters of SameDiff layers assign nothing.
          target.paramTable().get(parameter.getKey()).assign(parameter.getValue());
        }
      }
    }
  }

  /** The output of the cut, as inference computes it. */
  INDArray features(INDArray images) {
    return net.output(List.of(cut), false, new INDArray[] {images}, null)[0];
  }
}
