/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers.runtime;

import io.github.spd4j.backend.Saved;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * Passes of a layer that no operator computes: forward by its definition in SameDiff, backward by
 * its closed form.
 *
 * <p>There is a graph for each image size, whatever the batch size. Parameters are placeholders, so
 * that a graph always computes with the network's current ones.
 */
public final class GraphPasses implements Passes {

  /** A layer's definition and its derivative. */
  public interface Definition {

    /**
     * Defines the forward pass; see {@link
     * org.deeplearning4j.nn.conf.layers.samediff.SameDiffLayer#defineLayer}.
     *
     * @param sd where to define it
     * @param input the input, a placeholder of known shape but for the batch size (−1)
     * @param params the parameters
     * @param mask not used; masks are refused
     * @return the output
     */
    SDVariable defineLayer(
        SameDiff sd, SDVariable input, Map<String, SDVariable> params, SDVariable mask);

    /**
     * The names of the variables of the definition whose values the backward pass needs.
     *
     * @return variable names
     */
    List<String> savedVariables();

    /**
     * The backward pass.
     *
     * @param saved what the forward pass kept, none of it to be changed
     * @param gradient the gradient with respect to the output, not to be changed
     * @param paramGradients where to write the gradients with respect to the parameters, by name
     * @return the gradient with respect to the input, in the shape of the input
     */
    INDArray backward(Saved saved, INDArray gradient, Map<String, INDArray> paramGradients);
  }

  /** Graphs for this many image sizes are kept; a network seldom sees more in turn. */
  private static final int MAX_GRAPHS = 8;

  private static final String INPUT = "input";

  private final Definition definition;

  private final Map<String, Graph> graphs =
      new LinkedHashMap<>(MAX_GRAPHS, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Graph> eldest) {
          return size() > MAX_GRAPHS;
        }
      };

  /**
   * The passes of a layer.
   *
   * @param definition its definition
   */
  public GraphPasses(Definition definition) {
    this.definition = definition;
  }

  @Override
  public INDArray forward(INDArray input, Saved saved, Results results) {
    long[] shape = input.shape();
    String withoutBatch = Arrays.toString(Arrays.copyOfRange(shape, 1, shape.length));
    Graph graph = graphs.computeIfAbsent(withoutBatch, key -> new Graph(input, saved.params()));
    Map<String, INDArray> values = graph.run(input, saved);
    INDArray output = values.get(graph.output);
    values.forEach(saved::keep);
    return results.create(output.shape()).assign(output);
  }

  @Override
  public INDArray backward(
      INDArray gradient, Map<String, INDArray> paramGradients, Saved saved, Results results) {
    INDArray result = definition.backward(saved, gradient, paramGradients);
    return results.create(result.shape()).assign(result);
  }

  @Override
  public boolean isBackwardInWorkspace() {
    return true;
  }

  /** The graph for images of one size. */
  private final class Graph {
    final SameDiff sd = SameDiff.create();
    final String output;
    final List<String> outputAndSaved = new ArrayList<>();

    Graph(INDArray input, Map<String, INDArray> params) {
      long[] anyBatch = input.shape().clone();
      anyBatch[0] = -1;
      SDVariable in = sd.placeHolder(INPUT, input.dataType(), anyBatch);
      Map<String, SDVariable> variables = new LinkedHashMap<>();
      params.forEach(
          (name, p) -> variables.put(name, sd.placeHolder(name, p.dataType(), p.shape())));
      output = definition.defineLayer(sd, in, variables, null).name();
      outputAndSaved.add(output);
      outputAndSaved.addAll(definition.savedVariables());
    }

    Map<String, INDArray> run(INDArray input, Saved saved) {
      Map<String, INDArray> placeholders = new HashMap<>(saved.params());
      placeholders.put(INPUT, input);
      try {
        return sd.output(placeholders, saved.isTraining() ? outputAndSaved : List.of(output));
      } finally {
        // Nothing that may live in a workspace stays referenced.
        sd.clearPlaceholders(true);
        sd.clearOpInputs();
      }
    }
  }
}
