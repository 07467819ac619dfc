/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.features;

import org.nd4j.linalg.api.ndarray.INDArray;

/** The output of a frozen backbone for every image of a set. */
public interface Features extends AutoCloseable {

  /**
   * How many images there are.
   *
   * @return the number of images
   */
  int size();

  /**
   * The shape of one image's features.
   *
   * @return the shape, without the batch
   */
  long[] shape();

  /**
   * The features of some images.
   *
   * @param indices numbers of images
   * @return a new FLOAT array [indices, shape …]
   */
  INDArray batch(int... indices);

  @Override
  void close();
}
