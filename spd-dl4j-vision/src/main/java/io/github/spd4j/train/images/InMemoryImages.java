/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.images;

import java.util.Arrays;
import java.util.Objects;
import org.apache.commons.lang3.Validate;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.DataSet;
import org.nd4j.linalg.indexing.NDArrayIndex;

/** Images in one array. */
public final class InMemoryImages implements LabelledImages {

  private final INDArray images;
  private final int[] labels;
  private final int classes;

  /**
   * The images of a data set, called "0", "1", and so on.
   *
   * @param data features [N, channels, height, width] and labels [N, classes], one of them the
   *     largest in each row; the features are not copied
   */
  public InMemoryImages(DataSet data) {
    this(
        Objects.requireNonNull(data, "data").getFeatures(),
        data.getLabels().argMax(1).toIntVector(),
        (int) data.getLabels().size(1));
  }

  /**
   * Images with the numbers of their classes.
   *
   * @param images [N, channels, height, width]; not copied
   * @param labels N numbers from 0 to classes − 1
   * @param classes the number of classes
   */
  public InMemoryImages(INDArray images, int[] labels, int classes) {
    Objects.requireNonNull(images, "images");
    Objects.requireNonNull(labels, "labels");
    Validate.isTrue(
        images.rank() == 4 && images.size(0) == labels.length,
        "expected images [N, channels, height, width] and N labels, got %s and %s labels",
        Arrays.toString(images.shape()),
        labels.length);
    this.images = images;
    this.labels = labels.clone();
    this.classes = classes;
  }

  @Override
  public int size() {
    return labels.length;
  }

  @Override
  public int classes() {
    return classes;
  }

  @Override
  public String name(int index) {
    return String.valueOf(index);
  }

  @Override
  public int label(int index) {
    return labels[index];
  }

  @Override
  public INDArray image(int index) {
    return images.get(NDArrayIndex.interval(index, index + 1));
  }
}
