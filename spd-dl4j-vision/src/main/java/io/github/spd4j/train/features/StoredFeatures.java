/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.features;

import java.util.stream.IntStream;
import org.apache.commons.lang3.ArrayUtils;
import org.nd4j.common.util.ArrayUtil;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** Features that are appended image by image until those of all are there. */
abstract class StoredFeatures implements Features {

  /** How many images have features, all from the first on. */
  abstract int complete();

  /** Appends the features of the next images. */
  abstract void append(INDArray batch);

  /** Puts the features of one image, in C order, into an array, from a place on. */
  abstract void copy(int index, float[] target, int place);

  /** All processors read, since reading is what training of a head waits for on a GPU. */
  @Override
  public final INDArray batch(int... indices) {
    long[] shape = ArrayUtils.addAll(new long[] {indices.length}, shape());
    int length = Math.toIntExact(ArrayUtil.prodLong(shape()));
    float[] all = new float[Math.multiplyExact(indices.length, length)];
    IntStream.range(0, indices.length).parallel().forEach(i -> copy(indices[i], all, i * length));
    return Nd4j.createFromArray(all).reshape(shape);
  }
}
