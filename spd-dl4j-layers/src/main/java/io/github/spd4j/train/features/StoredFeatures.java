/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.features;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.nd4j.linalg.api.ndarray.INDArray;

/** Features that are appended image by image until those of all are there. */
abstract class StoredFeatures implements Features {

  /** How many images have features, all from the first on. */
  abstract int complete();

  /** Appends the features of the next images. */
  abstract void append(INDArray batch);

  /** The features of one image, in C order. */
  abstract float[] record(int index);

  @Override
  public final INDArray batch(int... indices) {
    return FeatureFormat.batch(
        Arrays.stream(indices).mapToObj(this::record).collect(Collectors.toList()), shape());
  }
}
