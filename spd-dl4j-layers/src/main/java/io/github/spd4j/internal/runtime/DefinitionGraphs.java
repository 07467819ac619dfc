/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.runtime;

import io.github.spd4j.internal.backend.ForwardPass;
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
 * Computes a layer by its definition in SameDiff, and differentiates it.
 *
 * <p>There is a graph for each image size, with and without a mask, whatever the batch size.
 * Parameters are placeholders, so that a graph always computes with the network's current ones.
 */
public final class DefinitionGraphs {

  /** A layer's definition. */
  @FunctionalInterface
  public interface Definition {

    /**
     * Defines the forward pass.
     *
     * @param sd where to define it
     * @param input the input, a placeholder of known shape but for the batch size (−1)
     * @param params the parameters by name
     * @param mask 1 for each pixel that counts, 0 elsewhere [N, 1, H, W]; null if all count
     * @return the output
     */
    SDVariable define(
        SameDiff sd, SDVariable input, Map<String, SDVariable> params, SDVariable mask);
  }

  /** Graphs for this many image sizes are kept; few networks see more in turn. */
  private static final int MAX_GRAPHS = 8;

  private static final String INPUT = "input";
  private static final String MASK = "mask";
  private static final String GRADIENT = "gradientOfOutput";

  /** What SameDiff calls the function it makes. */
  private static final String GRADIENT_FUNCTION = "grad";

  private final Definition definition;
  private final List<String> kept;

  private final Map<String, Graph> graphs =
      new LinkedHashMap<>(MAX_GRAPHS, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Graph> eldest) {
          return size() > MAX_GRAPHS;
        }
      };

  /**
   * Graphs of a layer, none of them made yet.
   *
   * @param definition its definition
   * @param kept the names of the variables of the definition whose values the backward pass needs
   */
  public DefinitionGraphs(Definition definition, List<String> kept) {
    this.definition = definition;
    this.kept = kept;
  }

  /**
   * The forward pass.
   *
   * @param input the layer's input, not to be changed
   * @param saved has the parameters, and takes the values that are to be kept
   * @param results makes the array for the output
   * @return the output
   */
  public INDArray forward(INDArray input, ForwardPass saved, Results results) {
    Graph graph = graphFor(input, saved);
    Map<String, INDArray> values = graph.run(input, saved);
    INDArray output = values.get(graph.output);
    values.forEach(saved::keep);
    return results.create(output.shape()).assign(output);
  }

  /**
   * The backward pass of SameDiff, which computes the forward pass again.
   *
   * @param gradient the gradient with respect to the output, not to be changed
   * @param paramGradients where to write the gradients with respect to some parameters, by name
   * @param saved has the input and the parameters
   * @param results makes the array for the result
   * @return the gradient with respect to the input
   */
  public INDArray backward(
      INDArray gradient, Map<String, INDArray> paramGradients, ForwardPass saved, Results results) {
    Graph graph = graphFor(saved.input(), saved);
    Map<String, INDArray> gradients = graph.differentiate(gradient, saved);
    paramGradients.forEach((name, target) -> target.assign(gradients.get(name)));
    INDArray byInput = gradients.get(INPUT);
    return results.create(byInput.shape()).assign(byInput);
  }

  private Graph graphFor(INDArray input, ForwardPass saved) {
    long[] shape = input.shape();
    String withoutBatch = Arrays.toString(Arrays.copyOfRange(shape, 1, shape.length));
    String key = saved.mask() == null ? withoutBatch : withoutBatch + " with a mask";
    return graphs.computeIfAbsent(key, any -> new Graph(input, saved));
  }

  private static long[] anyBatch(INDArray array) {
    long[] shape = array.shape().clone();
    shape[0] = -1;
    return shape;
  }

  /** The graph for images of one size. */
  private final class Graph {
    final SameDiff sd = SameDiff.create();
    final String output;
    final List<String> outputAndSaved = new ArrayList<>();
    final List<String> inputs = new ArrayList<>();
    boolean isDifferentiated;

    Graph(INDArray input, ForwardPass saved) {
      SDVariable in = sd.placeHolder(INPUT, input.dataType(), anyBatch(input));
      INDArray ones = saved.mask();
      SDVariable mask = ones == null ? null : sd.placeHolder(MASK, ones.dataType(), anyBatch(ones));
      Map<String, INDArray> params = saved.params();
      Map<String, SDVariable> variables = new LinkedHashMap<>();
      params.forEach(
          (name, p) -> variables.put(name, sd.placeHolder(name, p.dataType(), p.shape())));
      output = definition.define(sd, in, variables, mask).name();
      outputAndSaved.add(output);
      outputAndSaved.addAll(kept);
      inputs.add(INPUT);
      inputs.addAll(params.keySet());
    }

    Map<String, INDArray> run(INDArray input, ForwardPass saved) {
      Map<String, INDArray> placeholders = placeholders(input, saved);
      try {
        return sd.output(placeholders, saved.isTraining() ? outputAndSaved : List.of(output));
      } finally {
        forget(sd);
      }
    }

    private Map<String, INDArray> placeholders(INDArray input, ForwardPass saved) {
      Map<String, INDArray> placeholders = new HashMap<>(saved.params());
      placeholders.put(INPUT, input);
      if (saved.mask() != null) {
        placeholders.put(MASK, saved.mask());
      }
      return placeholders;
    }

    /** Nothing that may live in a workspace stays referenced. */
    private void forget(SameDiff graph) {
      graph.clearPlaceholders(true);
      graph.clearOpInputs();
    }

    /**
     * The gradients of ⟨output, gradient⟩. DL4J's own runtime gives the gradient to SameDiff as an
     * external error instead, which doubles all gradients in 1.0.0-M2.1.
     */
    Map<String, INDArray> differentiate(INDArray gradient, ForwardPass saved) {
      if (!isDifferentiated) {
        SDVariable given = sd.placeHolder(GRADIENT, gradient.dataType(), anyBatch(gradient));
        sd.getVariable(output).mul(given).sum().markAsLoss();
        sd.createGradFunction(inputs.toArray(new String[0]));
        isDifferentiated = true;
      }
      Map<String, INDArray> placeholders = placeholders(saved.input(), saved);
      placeholders.put(GRADIENT, gradient);
      try {
        return sd.calculateGradients(placeholders, inputs);
      } finally {
        forget(sd);
        forget(sd.getFunction(GRADIENT_FUNCTION));
      }
    }
  }
}
