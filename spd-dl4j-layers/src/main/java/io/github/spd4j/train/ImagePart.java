/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import org.nd4j.linalg.api.ndarray.INDArray;

/** Some of the images of a set. Their features are found among those of the whole set. */
final class ImagePart implements LabelledImages {

  private final LabelledImages whole;
  private final int[] indices;

  ImagePart(LabelledImages whole, int... indices) {
    this.whole = whole;
    this.indices = indices.clone();
    for (int index : indices) {
      if (index < 0 || index >= whole.size()) {
        throw new IllegalArgumentException(
            "expected numbers of images from 0 to " + (whole.size() - 1) + ", got " + index);
      }
    }
  }

  LabelledImages whole() {
    return whole;
  }

  /** The features of this part among those of the whole. */
  Features of(Features features) {
    return new Features() {
      @Override
      public int size() {
        return indices.length;
      }

      @Override
      public long[] shape() {
        return features.shape();
      }

      @Override
      public INDArray batch(int... part) {
        int[] all = new int[part.length];
        for (int i = 0; i < part.length; i++) {
          all[i] = indices[part[i]];
        }
        return features.batch(all);
      }

      @Override
      public void close() {
        features.close();
      }
    };
  }

  @Override
  public int size() {
    return indices.length;
  }

  @Override
  public int classes() {
    return whole.classes();
  }

  @Override
  public String name(int index) {
    return whole.name(indices[index]);
  }

  @Override
  public int label(int index) {
    return whole.label(indices[index]);
  }

  @Override
  public INDArray image(int index) {
    return whole.image(indices[index]);
  }

  @Override
  public INDArray variant(int index, long seed) {
    return whole.variant(indices[index], seed);
  }
}
