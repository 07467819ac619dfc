/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.engine;

import io.github.spd4j.train.images.LabelledImages;
import io.github.spd4j.train.plan.Stage;
import io.github.spd4j.train.progress.LossAndAccuracy;
import io.github.spd4j.train.progress.TrainingProgress;
import org.nd4j.linalg.api.ndarray.INDArray;

/** What a network is to learn from in one go: images in an order, in batches. */
public final class TrainingPass {

  private final Stage stage;
  private final Batches batches;
  private final int[] order;
  private final int batchSize;
  private final long seed;
  private final LossAndAccuracy figures;
  private final TrainingProgress progress;

  public TrainingPass(
      Stage stage,
      Batches batches,
      int[] order,
      int batchSize,
      long seed,
      LossAndAccuracy figures,
      TrainingProgress progress) {
    this.stage = stage;
    this.batches = batches;
    this.order = order;
    this.batchSize = batchSize;
    this.seed = seed;
    this.figures = figures;
    this.progress = progress;
  }

  /**
   * The stage: in {@link Stage#HEAD} the inputs of the network are features, in {@link Stage#WHOLE}
   * variants of images.
   *
   * @return the stage
   */
  public Stage stage() {
    return stage;
  }

  /**
   * The training images.
   *
   * @return the set that {@link #order} is about
   */
  public LabelledImages images() {
    return batches.source();
  }

  /**
   * Which images, in which order.
   *
   * @return numbers of images
   */
  public int[] order() {
    return order.clone();
  }

  /**
   * Images per step.
   *
   * @return at least 1
   */
  public int batchSize() {
    return batchSize;
  }

  /**
   * The seed of an image's variant.
   *
   * @param index the number of an image
   * @return what {@link LabelledImages#variant} wants
   */
  public long seed(int index) {
    return Seeds.ofImage(seed, index);
  }

  /**
   * The inputs of the network, read on this machine.
   *
   * @param indices numbers of images
   * @return one for each
   */
  public INDArray inputs(int... indices) {
    return batches.inputs(indices, seed);
  }

  /**
   * The right answers.
   *
   * @param indices numbers of images
   * @return rows with a one
   */
  public INDArray labels(int... indices) {
    return batches.labels(indices);
  }

  /**
   * Tells what the network said to images before it learnt from them.
   *
   * @param images how many images
   * @param right how many right answers
   * @param loss the sum of their cross-entropies
   * @throws io.github.spd4j.linalg.NotFiniteException if the loss is not finite
   */
  public void learnt(int images, int right, double loss) {
    figures.add(images, right, loss);
    tell();
  }

  /** The same from probabilities. */
  void learnt(INDArray probabilities, int[] labels) {
    figures.add(probabilities, labels);
  }

  int label(int index) {
    return batches.label(index);
  }

  /** Passes on how far it is. */
  void tell() {
    progress.batchDone(figures.images(), figures.loss(), figures.accuracy());
  }
}
