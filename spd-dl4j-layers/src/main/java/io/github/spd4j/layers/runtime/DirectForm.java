/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers.runtime;

import java.util.Map;
import org.nd4j.linalg.api.ndarray.INDArray;

/** A layer configuration whose forward pass too is given on arrays: SameDiff cannot do it well. */
public interface DirectForm extends ClosedForm {

  /**
   * The forward pass.
   *
   * @param input the input, not to be changed
   * @param saved where to put what the backward pass needs, by name
   * @return the output
   */
  INDArray forward(INDArray input, Map<String, INDArray> saved);
}
