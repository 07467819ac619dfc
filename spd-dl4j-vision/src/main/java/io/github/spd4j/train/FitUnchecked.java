/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import io.github.spd4j.train.progress.EpochRecord;
import java.util.Optional;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * Fits the classifier, and keeps the fit: there are no images to compare it on. Those that were
 * held out may have told already, and against it.
 */
final class FitUnchecked implements Phase {

  @Override
  public void run(StageRun stage) {
    Optional<Boolean> better = stage.state().fitIsBetter();
    if (better.equals(Optional.of(false))) {
      return;
    }
    INDArray learnt = stage.net().params().dup();
    EpochRecord record = stage.fit(stage.state().epoch() + 1);
    stage.setBest(record);
    stage.setLearnt(learnt, Double.NaN);
    if (better.isEmpty()) {
      stage.note(
          "Stage "
              + (record.stage().ordinal() + 1)
              + ": the fitted classifier is not compared with the learnt one, for want of images"
              + " that neither has seen. Give the trainer validation images");
    }
    stage.progress().epochDone(record);
  }

  @Override
  public String toString() {
    return "Fit the classifier";
  }
}
