/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers.runtime;

import java.util.Map;
import org.nd4j.linalg.api.ndarray.INDArray;

/** What a forward pass keeps for the backward pass. */
public final class Saved {

  private final INDArray input;
  private final Map<String, INDArray> params;
  private final Map<String, INDArray> values;

  Saved(INDArray input, Map<String, INDArray> params, Map<String, INDArray> values) {
    this.input = input;
    this.params = params;
    this.values = values;
  }

  /**
   * The layer's input.
   *
   * @return the input
   */
  public INDArray input() {
    return input;
  }

  /**
   * A parameter.
   *
   * @param name its name
   * @return the parameter as the forward pass saw it
   */
  public INDArray param(String name) {
    return params.get(name);
  }

  /**
   * The values of the saved variables.
   *
   * @return values by variable name
   */
  public Map<String, INDArray> values() {
    return values;
  }
}
