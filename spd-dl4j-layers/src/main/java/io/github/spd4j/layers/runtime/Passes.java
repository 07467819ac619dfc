/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers.runtime;

import io.github.spd4j.backend.Saved;
import java.util.Map;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * The two passes of a layer on arrays. An instance belongs to one runtime layer.
 *
 * <p>What the forward pass keeps for the backward pass it puts into the {@link Saved}.
 */
public interface Passes {

  /**
   * The forward pass.
   *
   * @param input the layer's input, not to be changed
   * @param saved has the parameters, and takes what the backward pass needs
   * @param results makes the array for the output
   * @return the output
   */
  INDArray forward(INDArray input, Saved saved, Results results);

  /**
   * The backward pass of the last forward pass for training.
   *
   * @param gradient the gradient with respect to the output, not to be changed
   * @param paramGradients where to write the gradients with respect to the parameters, by name
   * @param saved the input, the parameters, and what the forward pass kept
   * @param results makes the array for the result
   * @return the gradient with respect to the input, in the shape of the input
   */
  INDArray backward(
      INDArray gradient, Map<String, INDArray> paramGradients, Saved saved, Results results);

  /**
   * Whether the passes check the parameters themselves: the backward pass does so in training, and
   * the forward pass otherwise. If they do not, parameters are checked before each forward pass; on
   * a GPU that look waits for the card.
   *
   * @return false unless a class says otherwise
   */
  default boolean checksParams() {
    return false;
  }

  /**
   * Whether the arrays that the backward pass makes may lie in DL4J's workspace, which ends with
   * it. New memory for each step would take longer.
   *
   * @return false unless a class says otherwise: most keep memory from one step to the next
   */
  default boolean isBackwardInWorkspace() {
    return false;
  }

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
