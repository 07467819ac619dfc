/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import io.github.spd4j.train.progress.EpochRecord;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * Epoch 0, only to compare with: the classifier is fitted to the untrained head, and the fit is
 * taken back. A classifier that is to learn learns more from scratch than from a fit to the same
 * images.
 */
final class FitForComparison implements Phase {

  @Override
  public void run(StageRun stage) {
    INDArray before = stage.net().params().dup();
    EpochRecord record = stage.fit(0);
    stage.setBest(record);
    stage.net().params().assign(before);
    stage.progress().epochDone(record);
  }

  @Override
  public String toString() {
    return "Fit the classifier to the untrained head, to compare with";
  }
}
