/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.spark;

import io.github.spd4j.train.images.LabelledImages;
import org.nd4j.linalg.api.ndarray.INDArray;

/** Some consecutive images of a set. */
final class Range implements LabelledImages {

  private final LabelledImages all;
  private final int first;
  private final int size;

  Range(LabelledImages all, int first, int size) {
    this.all = all;
    this.first = first;
    this.size = size;
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public int classes() {
    return all.classes();
  }

  @Override
  public String name(int index) {
    return all.name(first + index);
  }

  @Override
  public int label(int index) {
    return all.label(first + index);
  }

  @Override
  public INDArray image(int index) {
    return all.image(first + index);
  }
}
