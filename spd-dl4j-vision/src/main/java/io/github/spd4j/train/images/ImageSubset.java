/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.images;

import org.nd4j.linalg.api.ndarray.INDArray;

/** Some of the images of a set. */
public final class ImageSubset implements LabelledImages {

  private final LabelledImages whole;
  private final int[] indices;

  ImageSubset(LabelledImages whole, int... indices) {
    this.whole = whole;
    this.indices = indices.clone();
    for (int index : indices) {
      if (index < 0 || index >= whole.size()) {
        throw new IllegalArgumentException(
            "expected numbers of images from 0 to " + (whole.size() - 1) + ", got " + index);
      }
    }
  }

  /**
   * The set that these images belong to.
   *
   * @return all its images
   */
  public LabelledImages whole() {
    return whole;
  }

  /**
   * Which images of the whole set these are.
   *
   * @return numbers of images
   */
  public int[] indices() {
    return indices.clone();
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
  public String digest(int index) {
    return whole.digest(indices[index]);
  }

  @Override
  public int picture(int index) {
    return whole.picture(indices[index]);
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

  @Override
  public boolean isConcurrent() {
    return whole.isConcurrent();
  }
}
