/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.runtime;

import org.nd4j.linalg.api.ndarray.INDArray;

/** Makes arrays in the workspace where a result belongs. */
@FunctionalInterface
public interface Results {

  /**
   * An array of any content.
   *
   * @param shape its shape
   * @return a new array, row by row
   */
  INDArray create(long... shape);
}
