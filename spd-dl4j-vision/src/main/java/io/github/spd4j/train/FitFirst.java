/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import io.github.spd4j.train.progress.EpochRecord;

/** Epoch 0: the classifier is fitted to the untrained head. What follows begins with that fit. */
final class FitFirst implements Phase {

  @Override
  public void run(StageRun stage) {
    EpochRecord record = stage.fit(0);
    if (stage.isValidated()) {
      stage.state().advanceSchedule(record, stage.plan(), true);
    }
    stage.setBest(record);
    stage.progress().epochDone(record);
  }

  @Override
  public String toString() {
    return "Fit the classifier to the untrained head";
  }
}
