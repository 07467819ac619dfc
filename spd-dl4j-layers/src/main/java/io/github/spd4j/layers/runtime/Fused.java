/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers.runtime;

import java.util.Map;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * A layer's passes in fewer passes over memory and without new arrays, as an alternative to its
 * definition in SameDiff: the same numbers up to rounding.
 *
 * <p>An instance belongs to one runtime layer. What its forward pass keeps for the backward pass,
 * and the memory for it, is its own.
 */
public interface Fused {

  /**
   * Whether it can compute with such arrays.
   *
   * @param input the layer's input
   * @return false if the definition is to be used
   */
  boolean handles(INDArray input);

  /**
   * Whether the backward pass refuses parameters that are not finite, as it does gradients. The
   * forward pass of a training step need not look at them then: on a GPU each look waits for the
   * card.
   *
   * @return false unless a class says otherwise
   */
  default boolean checksParamsWithGradients() {
    return false;
  }

  /**
   * The forward pass.
   *
   * @param input the layer's input, not to be changed
   * @param params the parameters by name, not to be changed
   * @param results makes the array for the output
   * @param training whether there will be a backward pass
   * @return the output
   */
  INDArray forward(INDArray input, Map<String, INDArray> params, Results results, boolean training);

  /**
   * The backward pass of the last forward pass for training.
   *
   * @param saved the input and the parameters, not to be changed
   * @param gradient the gradient with respect to the output, not to be changed
   * @param paramGradients where to write the gradients with respect to the parameters, by name
   * @param results makes the array for the result
   * @return the gradient with respect to the input, in the shape of the input
   */
  INDArray backward(
      Saved saved, INDArray gradient, Map<String, INDArray> paramGradients, Results results);

  /** Makes arrays in the workspace where a result belongs. */
  interface Results {

    /**
     * An array of any content.
     *
     * @param shape its shape
     * @return a new array, row by row
     */
    INDArray create(long... shape);
  }
}
