/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import io.github.spd4j.internal.engine.Seeds;
import io.github.spd4j.train.plan.LayerGroup;
import io.github.spd4j.train.progress.EpochRecord;
import java.util.Map;
import java.util.Optional;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Learns epoch after epoch: sets the rates, accepts or undoes each epoch, and saves after it. */
final class Learn implements Phase {

  private static final Logger log = LoggerFactory.getLogger(Learn.class);

  private final String what;
  private final Epoch.Course course;
  private final boolean fullRates;

  /**
   * Epochs that take a certain course.
   *
   * @param what what learns how, for people
   * @param course how an epoch goes
   * @param fullRates whether it ends where the schedule lowers the rates
   */
  Learn(String what, Epoch.Course course, boolean fullRates) {
    this.what = what;
    this.course = course;
    this.fullRates = fullRates;
  }

  @Override
  public void run(StageRun stage) {
    while (stage.state().goesOn(stage.plan()) && !(fullRates && stage.state().ratesFall())) {
      EpochRecord record = epoch(stage);
      stage.save();
      stage.progress().epochDone(record);
    }
  }

  private EpochRecord epoch(StageRun stage) {
    TrainingState state = stage.state();
    INDArray before = stage.net().params().dup();
    double factor = stage.rateFactor();
    Map<LayerGroup, Double> rates = stage.updaters().setRates(factor);
    Epoch epoch = stage.newEpoch();
    int number = state.nextEpoch();
    epoch.run(course, Seeds.ofEpoch(stage.plan().seed(), state.stage(), number));
    Optional<String> explosion =
        epoch
            .failure()
            .or(
                () ->
                    state.explosion(
                        stage.plan().guard(), epoch.training(), stage.training().classes()));
    Optional<String> fall =
        explosion.isPresent()
            ? Optional.empty()
            : state.fall(stage.plan().guard(), epoch.validation());
    String reason = explosion.or(() -> fall).orElse(null);
    EpochRecord record = epoch.record(state.stage(), number, rates, reason);
    if (explosion.isPresent()) {
      rollBack(stage, record, before, "the epoch before");
    } else if (fall.isPresent()) {
      state.restartSchedule(stage.plan());
      rollBack(stage, record, state.stageOne(), "the end of stage one");
    } else {
      accept(stage, record);
    }
    state.add(record, stage.net());
    before.close(); // it may be large, and garbage is collected late
    return record;
  }

  private static void accept(StageRun stage, EpochRecord record) {
    stage.state().advanceSchedule(record, stage.plan(), stage.isValidated());
    if (stage.state().isBest(record)) {
      stage.setBest(record);
    }
    stage.state().schedule().news().ifPresent(stage.progress()::message);
  }

  private static void rollBack(StageRun stage, EpochRecord record, INDArray target, String where) {
    stage.net().params().assign(target);
    stage.updaters().reset();
    boolean goesOn = stage.state().rollBack(stage.plan().guard());
    String what =
        String.format(
            "Stage %d, epoch %d is rolled back to %s: %s. ",
            record.stage().ordinal() + 1, record.epoch(), where, record.rollbackReason());
    if (!goesOn && stage.state().best() == null) {
      throw new IllegalStateException(
          String.format(
              "%sNo epoch before it was good either, at %d different rates;"
                  + " expected smaller rates, or images without NaN",
              what, stage.plan().guard().maxRollbacks() + 1));
    }
    String then =
        goesOn ? "Rates are now multiplied by " + stage.rateFactor() : "The stage ends here";
    log.warn("{}{}", what, then);
    stage.progress().message(what + then);
  }

  @Override
  public String toString() {
    return what;
  }
}
