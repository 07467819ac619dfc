/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers.runtime;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * A layer's forward pass as a SameDiff graph for inputs of one shape, whatever the batch size.
 *
 * <p>Parameters are placeholders, so that the graph always computes with the network's current
 * ones.
 */
final class ForwardGraph {

  private static final String INPUT = "input";

  private final SameDiff sd = SameDiff.create();
  private final String output;
  private final List<String> outputAndSaved = new ArrayList<>();

  ForwardGraph(ClosedForm form, DataType type, long[] inputShape, Map<String, INDArray> params) {
    long[] anyBatch = inputShape.clone();
    anyBatch[0] = -1;
    SDVariable input = sd.placeHolder(INPUT, type, anyBatch);
    Map<String, SDVariable> variables = new LinkedHashMap<>();
    params.forEach((name, p) -> variables.put(name, sd.placeHolder(name, type, p.shape())));
    output = form.defineLayer(sd, input, variables, null).name();
    outputAndSaved.add(output);
    outputAndSaved.addAll(form.savedVariables());
  }

  /**
   * Runs the graph.
   *
   * @param input the input
   * @param params the parameters
   * @param training whether the saved variables are wanted
   * @return the output, and for training the saved variables, by name
   */
  Map<String, INDArray> run(INDArray input, Map<String, INDArray> params, boolean training) {
    Map<String, INDArray> placeholders = new HashMap<>(params);
    placeholders.put(INPUT, input);
    try {
      return sd.output(placeholders, training ? outputAndSaved : List.of(output));
    } finally {
      // Nothing that may live in a workspace stays referenced.
      sd.clearPlaceholders(true);
      sd.clearOpInputs();
    }
  }

  String output() {
    return output;
  }
}
