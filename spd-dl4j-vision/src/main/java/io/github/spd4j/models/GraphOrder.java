/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.models;

import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration;

/**
 * The order in which a graph computes its vertices. DL4J stores it beside the graph and believes
 * it, whatever it is: a graph that leads back would be computed, too.
 */
final class GraphOrder {

  private GraphOrder() {}

  /** Fails unless each vertex comes once, under its number, and after what it takes. */
  static void check(ComputationGraphConfiguration graph) throws IOException {
    Map<String, Integer> numbered = new HashMap<>();
    graph.getNetworkInputs().forEach(name -> numbered.put(name, numbered.size()));
    graph.getVertices().keySet().forEach(name -> numbered.put(name, numbered.size()));
    List<String> order = graph.getTopologicalOrderStr();
    int[] numbers = graph.getTopologicalOrder();
    if (order == null || numbers == null) {
      return; // DL4J finds one by itself, or says that there is none
    }
    Set<String> before = new HashSet<>();
    boolean isSound = order.size() == numbered.size() && numbers.length == numbered.size();
    for (int i = 0; isSound && i < numbers.length; i++) {
      String name = order.get(i);
      List<String> taken = graph.getVertexInputs().getOrDefault(name, List.of());
      isSound =
          Objects.equals(numbered.get(name), numbers[i])
              && before.containsAll(taken)
              && before.add(name);
    }
    if (!isSound) {
      throw new IOException("expected a graph in an order in which no vertex leads back");
    }
  }
}
