/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.features;

import org.nd4j.linalg.api.ndarray.INDArray;

/** Features that are appended image by image until those of all are there. */
interface StoredFeatures extends Features {

  /** How many images have features, all from the first on. */
  int complete();

  /** Appends the features of the next images. */
  void append(INDArray batch);
}
