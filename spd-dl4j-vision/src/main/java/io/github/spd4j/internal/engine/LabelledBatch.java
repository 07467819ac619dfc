/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.engine;

import org.nd4j.linalg.api.ndarray.INDArray;

/** A batch that was read: inputs of a network and their classes. For internal use. */
public final class LabelledBatch {

  private final INDArray inputs;
  private final int[] labels;

  LabelledBatch(INDArray inputs, int[] labels) {
    this.inputs = inputs;
    this.labels = labels;
  }

  /**
   * The inputs of the network.
   *
   * @return [labels, …]
   */
  public INDArray inputs() {
    return inputs;
  }

  /**
   * The classes.
   *
   * @return their numbers
   */
  public int[] labels() {
    return labels.clone();
  }
}
