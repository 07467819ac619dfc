/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.statistics;

import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * Examples that need not fit into memory: a {@link RidgeClassifier} reads them in parts, and some
 * of them more than once.
 */
public interface RidgeExamples {

  /**
   * How many numbers an example has.
   *
   * @return at least 1
   */
  long length();

  /**
   * The type of the numbers, and of the classifier.
   *
   * @return FLOAT or DOUBLE
   */
  DataType type();

  /**
   * Reads some examples; the same ones are the same each time.
   *
   * @param first the number of the first, from 0
   * @param end the number after the last
   * @return a new array [end − first, length], which the caller changes and closes
   */
  INDArray read(int first, int end);
}
