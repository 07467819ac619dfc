/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.features;

import java.util.Arrays;
import org.nd4j.linalg.api.ndarray.INDArray;

/** The features of some images among those of the whole set. */
final class FeatureSubset implements Features {

  private final Features whole;
  private final int[] indices;

  FeatureSubset(Features whole, int[] indices) {
    this.whole = whole;
    this.indices = indices;
  }

  @Override
  public int size() {
    return indices.length;
  }

  @Override
  public long[] shape() {
    return whole.shape();
  }

  @Override
  public INDArray batch(int... subset) {
    return whole.batch(Arrays.stream(subset).map(i -> indices[i]).toArray());
  }

  @Override
  public void close() {
    whole.close();
  }
}
