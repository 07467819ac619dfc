/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.images;

import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * Images with labels, by number. Each call may read the image anew, so a set need not fit into
 * memory. All images have the same size.
 *
 * <p>Reading must be repeatable: the same number gives the same image, name and label.
 */
public interface LabelledImages {

  /**
   * How many images there are.
   *
   * @return the number of images
   */
  int size();

  /**
   * How many classes there are, whether or not each has an image.
   *
   * @return the number of classes
   */
  int classes();

  /**
   * The name of an image, which stands for its content where features are cached: another content
   * needs another name, or another {@linkplain #digest digest}.
   *
   * @param index 0 … size − 1
   * @return the name
   */
  String name(int index);

  /**
   * What tells the content of an image from another one under the same name, such as a checksum of
   * its file. Cached features are of this content. Unless overridden, the name alone stands for it.
   *
   * @param index 0 … size − 1
   * @return an empty text if the name says it all
   */
  default String digest(int index) {
    return "";
  }

  /**
   * The class of an image.
   *
   * @param index 0 … size − 1
   * @return 0 … classes − 1
   */
  int label(int index);

  /**
   * The picture that an image is a view of, such as a crop. Views of one picture are held out of a
   * training together: a network that has seen one of them knows the others. Unless overridden,
   * each image is a picture of its own.
   *
   * @param index 0 … size − 1
   * @return a number that the views of the picture share, and no other image has
   */
  default int picture(int index) {
    return index;
  }

  /**
   * An image, preprocessed as the backbone expects it.
   *
   * @param index 0 … size − 1
   * @return [1, channels, height, width]
   */
  INDArray image(int index);

  /**
   * A variant of an image for one epoch in which the whole network learns: flipped, cropped and so
   * on. Unless overridden, the image itself.
   *
   * @param index 0 … size − 1
   * @param seed all random numbers must come from this seed, or an interrupted training cannot be
   *     repeated
   * @return [1, channels, height, width], of the same size as the image
   */
  default INDArray variant(int index, long seed) {
    return image(index);
  }

  /**
   * Whether several threads may read images at the same time. The trainer then does so, which is
   * faster where decoding takes long. Unless overridden, one thread reads at a time, which need not
   * be the one that trains.
   *
   * @return true if {@link #image} and {@link #variant} may be called by several threads at once
   */
  default boolean isConcurrent() {
    return false;
  }

  /**
   * Some of these images, for example a fold of a cross-validation. A {@link
   * io.github.spd4j.train.features.FeatureCache} takes their features from those of the whole set,
   * so all subsets together cost no more than it.
   *
   * @param indices numbers of images, in the order that the subset has
   * @return a view; nothing is read
   */
  default LabelledImages subset(int... indices) {
    return new ImageSubset(this, indices);
  }
}
