/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.engine;

import io.github.spd4j.internal.images.ReadAhead;
import io.github.spd4j.train.engine.TrainingPass;
import io.github.spd4j.train.images.LabelledImages;
import io.github.spd4j.train.progress.LossAndAccuracy;
import io.github.spd4j.train.progress.TrainingProgress;
import java.util.List;
import org.nd4j.linalg.api.ndarray.INDArray;

/** A pass over images, variants or features that are read on this machine. */
public final class ImagePass implements TrainingPass {

  private final ImageBatches batches;
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
  public ImagePass(
      ImageBatches batches,
      int[] order,
      long seed,
      LossAndAccuracy sofar,
      TrainingProgress progress) {
    this.batches = batches;
    this.order = order;
    this.seed = seed;
    this.sofar = sofar;
    this.progress = progress;
  }

  @Override
  public boolean usesFeatures() {
    return batches.areFeatures();
  }

  @Override
  public LabelledImages images() {
    return batches.source();
  }

  @Override
  public int[] order() {
    return order.clone();
  }

  @Override
  public List<int[]> batches() {
    return batches.split(order);
  }

  @Override
  public int batchSize() {
    return batches.batchSize();
  }

  @Override
  public long seed(int index) {
    return Seeds.ofImage(seed, index);
  }

  @Override
  public INDArray inputs(int... indices) {
    return batches.inputs(indices, seed);
  }

  @Override
  public INDArray labels(int... indices) {
    return batches.oneHot(indices);
  }

  @Override
  public void report(int images, int right, double loss) {
    sofar.add(images, right, loss);
    reportProgress();
  }

  /** The same from probabilities, but without telling the progress. */
  void add(INDArray probabilities, LabelledBatch batch) {
    sofar.add(probabilities, batch.labels());
  }

  /** All batches in their order. The next is read while one is learnt from. */
  ReadAhead<LabelledBatch> ahead() {
    return batches.labelledAhead(batches(), seed);
  }

  INDArray labels(LabelledBatch batch) {
    return batches.oneHot(batch);
  }

  void reportProgress() {
    progress.batchDone(sofar.images(), sofar.loss(), sofar.accuracy());
  }
}
