/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import io.github.spd4j.train.plan.KeptWeights;
import io.github.spd4j.train.progress.EpochRecord;
import io.github.spd4j.train.progress.LossAndAccuracy;
import java.util.Locale;
import org.nd4j.linalg.api.ndarray.INDArray;

/** Fits the classifier, and keeps the fit if it is better on images that neither has seen. */
final class FitIfBetter implements Phase {

  @Override
  public void run(StageRun stage) {
    TrainingState state = stage.state();
    INDArray learnt = stage.net().params().dup();
    LossAndAccuracy known = stage.newEpoch().measure().unseen();
    Epoch epoch = stage.newEpoch().fit();
    LossAndAccuracy fitted = epoch.unseen();
    EpochRecord record = stage.recordOfFit(epoch, state.epoch() + 1);
    if (!fitted.isBetterThan(known)) {
      stage.net().params().assign(learnt);
      stage.note(
          String.format(
              Locale.ROOT,
              "Stage %d: the fitted classifier is dropped. Of %d images that neither has seen, it"
                  + " has %.1f %% right, the one that was learnt has %.1f %% after its last epoch",
              record.stage().ordinal() + 1,
              fitted.images(),
              100 * fitted.accuracy(),
              100 * known.accuracy()));
    } else if (stage.plan().keep() == KeptWeights.LAST || state.isBest(record)) {
      stage.setBest(record);
    }
    stage.setLearnt(learnt, known.accuracy());
    stage.progress().epochDone(record);
  }

  @Override
  public String toString() {
    return "Fit the classifier, and keep the fit if it is better than what was learnt";
  }
}
