/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.engine;

import io.github.spd4j.train.images.LabelledImages;
import java.util.List;
import org.nd4j.linalg.api.ndarray.INDArray;

/** One pass over training images: which, in which order, and in batches of how many. */
public interface TrainingPass {

  /**
   * Whether the inputs of the network are features of the images, which is so in stage one.
   *
   * @return false if they are variants of the images
   */
  boolean usesFeatures();

  /**
   * The training images.
   *
   * @return the set whose images are numbered
   */
  LabelledImages images();

  /**
   * Which images, in which order.
   *
   * @return numbers of images
   */
  int[] order();

  /**
   * The order in batches.
   *
   * @return numbers of images, for each step
   */
  List<int[]> batches();

  /**
   * Images per step.
   *
   * @return at least 1
   */
  int batchSize();

  /**
   * The seed of an image's variant.
   *
   * @param index the number of an image
   * @return the seed that {@link LabelledImages#variant} needs
   */
  long seed(int index);

  /**
   * The inputs of the network, read on this machine.
   *
   * @param indices numbers of images
   * @return one for each
   */
  INDArray inputs(int... indices);

  /**
   * The labels as one-hot rows.
   *
   * @param indices numbers of images
   * @return [indices, classes]
   */
  INDArray labels(int... indices);

  /**
   * Reports what the network made of images before it was trained on them.
   *
   * @param images how many images
   * @param right how many it classified rightly
   * @param loss the sum of their cross-entropies
   * @throws io.github.spd4j.linalg.NotFiniteException if the loss is not finite
   */
  void report(int images, int right, double loss);
}
