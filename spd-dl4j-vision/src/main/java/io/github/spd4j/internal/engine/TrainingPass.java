/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.engine;

import io.github.spd4j.internal.images.ReadAhead;
import io.github.spd4j.train.images.LabelledImages;
import io.github.spd4j.train.progress.LossAndAccuracy;
import io.github.spd4j.train.progress.TrainingProgress;
import java.util.List;
import org.nd4j.linalg.api.ndarray.INDArray;

/** One pass over training images: which, in which order, and in batches of how many. */
public final class TrainingPass {

  private final Batches batches;
  private final int[] order;
  private final long seed;
  private final LossAndAccuracy sofar;
  private final TrainingProgress progress;

  /**
   * A pass that is still to be made.
   *
   * @param batches the training images or their features
   * @param order numbers of the images
   * @param seed the seed of the epoch
   * @param sofar the loss and accuracy of the epoch, which the pass adds to
   * @param progress is told after each batch
   */
  public TrainingPass(
      Batches batches, int[] order, long seed, LossAndAccuracy sofar, TrainingProgress progress) {
    this.batches = batches;
    this.order = order;
    this.seed = seed;
    this.sofar = sofar;
    this.progress = progress;
  }

  /**
   * Whether the inputs of the network are features of the images, which is so in stage one.
   *
   * @return false if they are variants of the images
   */
  public boolean usesFeatures() {
    return batches.areFeatures();
  }

  /**
   * The training images.
   *
   * @return the set whose images are numbered
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
   * The order in batches.
   *
   * @return numbers of images, for each step
   */
  public List<int[]> batches() {
    return batches.split(order);
  }

  /**
   * Images per step.
   *
   * @return at least 1
   */
  public int batchSize() {
    return batches.batchSize();
  }

  /**
   * The seed of an image's variant.
   *
   * @param index the number of an image
   * @return the seed that {@link LabelledImages#variant} needs
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
   * The labels as one-hot rows.
   *
   * @param indices numbers of images
   * @return [indices, classes]
   */
  public INDArray labels(int... indices) {
    return batches.oneHot(indices);
  }

  /**
   * Reports what the network made of images before it was trained on them.
   *
   * @param images how many images
   * @param right how many it classified rightly
   * @param loss the sum of their cross-entropies
   * @throws io.github.spd4j.linalg.NotFiniteException if the loss is not finite
   */
  public void report(int images, int right, double loss) {
    sofar.add(images, right, loss);
    reportProgress();
  }

  /** The same from probabilities, but without telling the progress. */
  void add(INDArray probabilities, Batch batch) {
    sofar.add(probabilities, batch.labels());
  }

  /** All batches in their order. The next is read while one is learnt from. */
  ReadAhead<Batch> ahead() {
    return batches.labelledAhead(batches(), seed);
  }

  INDArray labels(Batch batch) {
    return batches.oneHot(batch);
  }

  void reportProgress() {
    progress.batchDone(sofar.images(), sofar.loss(), sofar.accuracy());
  }
}
