/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import io.github.spd4j.train.plan.Guard;
import io.github.spd4j.train.plan.Schedule;
import io.github.spd4j.train.plan.Stage;
import io.github.spd4j.train.plan.TrainingPlan;
import io.github.spd4j.train.progress.EpochRecord;
import io.github.spd4j.train.progress.LossAndAccuracy;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.shade.jackson.annotation.JsonAutoDetect;
import org.nd4j.shade.jackson.annotation.JsonAutoDetect.Visibility;
import org.nd4j.shade.jackson.annotation.JsonIgnore;

/**
 * Where a training stands between two epochs. What it holds is what a checkpoint holds: the names
 * of the fields are part of the file format.
 */
@JsonAutoDetect(
    fieldVisibility = Visibility.ANY,
    getterVisibility = Visibility.NONE,
    isGetterVisibility = Visibility.NONE,
    setterVisibility = Visibility.NONE)
final class TrainingState {

  private static final int VERSION = 1;

  private int version = VERSION;

  /** What the training depends on, to refuse a checkpoint of another. */
  private Map<String, String> settings;

  /** The present stage; null when the training is over. */
  private Stage stage;

  /** The number of the present phase, among those of the stage. */
  private int phase;

  /** Epochs of the stage so far, those that were rolled back included. */
  private int epoch;

  /** Epochs since the start of the stage or since the last rollback. */
  private int epochsSinceRollback;

  /** Rollbacks of the stage. */
  private int rollbacks;

  /** Whether the guard has given the stage up. */
  private boolean givenUp;

  /** Whether a fit was better on images held out; null before that is known. */
  private Boolean fitIsBetter;

  /** What rollbacks have multiplied the rates by. */
  private double rateFactor = 1;

  private Schedule schedule;

  /** The most that the classifier's inputs bear as its rate; NaN before that is known. */
  private double classifierLimit = Double.NaN;

  /** Training loss of the last epoch that stood. */
  private double lastLoss = Double.NaN;

  /** The validation accuracy that stage two begins with; NaN if there is none. */
  private double reference = Double.NaN;

  private double bestAccuracy = Double.NaN;
  private double bestLoss = Double.NaN;
  private Stage bestStage;
  private int bestEpoch;

  /** DL4J's counts of the network that learns. */
  private int iterations;

  private int dl4jEpochs;

  private List<EpochRecord> history = new ArrayList<>();

  /** What the user should know of the outcome. */
  private List<String> notes = new ArrayList<>();

  /** Parameters of the best epoch, of the network that learns in this stage; null if none. */
  @JsonIgnore private INDArray best;

  /** Parameters of the whole network that stage two began with; null if there was no stage one. */
  @JsonIgnore private INDArray stageOne;

  private TrainingState() {} // for JSON

  /** A training before its first epoch. */
  TrainingState(Map<String, String> settings, TrainingPlan plan) {
    this.settings = settings;
    begin(Stage.HEAD, plan);
  }

  private void begin(Stage next, TrainingPlan plan) {
    stage = next;
    phase = 0;
    epoch = 0;
    epochsSinceRollback = 0;
    rollbacks = 0;
    givenUp = false;
    rateFactor = 1;
    schedule = plan.schedule();
    classifierLimit = Double.NaN;
    lastLoss = Double.NaN;
    iterations = 0;
    dl4jEpochs = 0;
  }

  /**
   * Ends stage one.
   *
   * @param kept the parameters of the whole network that it keeps; null if it was left out
   * @param start those that stage two begins with, and goes back to
   */
  void beginStageTwo(INDArray kept, INDArray start, TrainingPlan plan) {
    keep(kept, start);
    reference = Double.isNaN(reference) && kept != null ? bestAccuracy : reference;
    begin(Stage.WHOLE, plan);
  }

  /** The stage that it is in, or the last one if the training is over. */
  Stage lastStage() {
    return stage == null ? Stage.WHOLE : stage;
  }

  /** The validation accuracy that stage two begins with, if that is not the best one. */
  void setReference(double accuracy) {
    reference = accuracy;
  }

  void end() {
    stage = null;
    keep(null, null);
  }

  /** Takes up parameters, which are not part of the JSON. */
  void keep(INDArray best, INDArray stageOne) {
    this.best = best;
    this.stageOne = stageOne;
  }

  void requireVersion() throws IOException {
    if (version != VERSION) {
      throw new IOException("expected version " + VERSION + ", got " + version);
    }
  }

  /** Refuses the checkpoint of another training. */
  void requireSettings(Map<String, String> expected, Path file) {
    expected.forEach(
        (name, value) -> {
          if (!value.equals(settings.get(name))) {
            throw new OtherTrainingException(
                String.format(
                    "%s is a checkpoint of another training: it has %s = %s, expected %s."
                        + " Choose another folder, or delete it to begin anew.",
                    file, name, settings.get(name), value));
          }
        });
  }

  Stage stage() {
    return stage;
  }

  int phase() {
    return phase;
  }

  void nextPhase() {
    phase++;
  }

  int epoch() {
    return epoch;
  }

  Schedule schedule() {
    return schedule;
  }

  double classifierLimit() {
    return classifierLimit;
  }

  void limitClassifierRate(double limit) {
    classifierLimit = limit;
  }

  INDArray best() {
    return best;
  }

  INDArray stageOne() {
    return stageOne;
  }

  TrainingResult result(boolean resumed) {
    Optional<EpochRecord> bestRecord =
        history.stream()
            .filter(record -> record.stage() == bestStage && record.epoch() == bestEpoch)
            .findFirst();
    return new TrainingResult(history, bestRecord, notes, resumed);
  }

  /** Keeps what the user should know of the outcome, and tells whether it is new. */
  boolean note(String text) {
    return !notes.contains(text) && notes.add(text);
  }

  /** Images that were held out have told which classifier is better, and may be learnt from. */
  void compared(boolean better) {
    fitIsBetter = better;
  }

  /** Whether a fit was better on images held out; nothing before that is known. */
  Optional<Boolean> fitIsBetter() {
    return Optional.ofNullable(fitIsBetter);
  }

  /** Whether the best weights are those of a fit. */
  boolean keepsFit() {
    return history.stream()
        .filter(record -> record.stage() == bestStage && record.epoch() == bestEpoch)
        .anyMatch(record -> record.rates().isEmpty());
  }

  /** Whether the present stage has more epochs to come. */
  boolean goesOn(TrainingPlan plan) {
    return !givenUp && !schedule.isOver() && epoch < plan.epochs(stage);
  }

  /** Whether the schedule has lowered the rates. */
  boolean ratesFall() {
    return schedule.rateFactor() < 1;
  }

  /** Begins an epoch, and gives its number. */
  int nextEpoch() {
    epochsSinceRollback++;
    return ++epoch;
  }

  /** What the rates of the next epoch are multiplied by. */
  double rateFactor() {
    return rateFactor * schedule.rateFactor();
  }

  /** Why the loss of an epoch is too high, if it is; the first loss is that of its first batch. */
  Optional<String> explosion(Guard guard, LossAndAccuracy training, int classes) {
    double before = Double.isNaN(lastLoss) ? training.firstLoss() : lastLoss;
    return guard.explosion(training.loss(), before, classes);
  }

  /** Why stage two is to go back to the end of stage one, if it is. */
  Optional<String> fall(Guard guard, LossAndAccuracy validation) {
    return guard.fall(validation.accuracy(), reference, epochsSinceRollback);
  }

  /** An epoch was undone; tells whether the stage goes on. */
  boolean rollBack(Guard guard) {
    rollbacks++;
    epochsSinceRollback = 0;
    rateFactor *= guard.rateFactor();
    givenUp = rollbacks > guard.maxRollbacks();
    return !givenUp;
  }

  void restartSchedule(TrainingPlan plan) {
    schedule = plan.schedule();
  }

  void advanceSchedule(EpochRecord record, TrainingPlan plan, boolean validated) {
    OptionalDouble error =
        validated ? OptionalDouble.of(1 - record.validationAccuracy()) : OptionalDouble.empty();
    schedule = schedule.after(record.epoch(), plan.epochs(stage), record.trainingAccuracy(), error);
  }

  void add(EpochRecord record, ComputationGraph net) {
    history.add(record);
    iterations = net.getIterationCount();
    dl4jEpochs = net.getEpochCount();
    if (!record.rolledBack() && !Double.isNaN(record.trainingLoss())) {
      lastLoss = record.trainingLoss();
    }
  }

  void restoreCounts(ComputationGraph net) {
    net.getConfiguration().setIterationCount(iterations);
    net.getConfiguration().setEpochCount(dl4jEpochs);
  }

  /** Whether an epoch is the best so far; without validation the last one is. */
  boolean isBest(EpochRecord record) {
    return bestStage == null
        || Double.isNaN(record.validationAccuracy())
        || record.validationAccuracy() > bestAccuracy
        || (record.validationAccuracy() == bestAccuracy && record.validationLoss() < bestLoss);
  }

  void setBest(EpochRecord record, INDArray parameters) {
    bestAccuracy = record.validationAccuracy();
    bestLoss = record.validationLoss();
    bestStage = record.stage();
    bestEpoch = record.epoch();
    best = parameters;
  }
}
