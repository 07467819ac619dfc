/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import io.github.spd4j.train.plan.Plateau;
import io.github.spd4j.train.plan.Stage;
import io.github.spd4j.train.plan.TrainingPlan;
import io.github.spd4j.train.progress.EpochRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.shade.jackson.annotation.JsonAutoDetect;
import org.nd4j.shade.jackson.annotation.JsonAutoDetect.Visibility;
import org.nd4j.shade.jackson.annotation.JsonIgnore;

/** Where a training stands between two epochs. What it holds is what a checkpoint holds. */
@JsonAutoDetect(fieldVisibility = Visibility.ANY, getterVisibility = Visibility.NONE)
final class RunState {

  static final int VERSION = 1;

  int version = VERSION;

  /** What the run depends on, to refuse a checkpoint of another. */
  Map<String, String> settings;

  /** The present stage; null when the training is over. */
  Stage stage;

  /** Epochs of the stage so far, those that were rolled back included. */
  int epoch;

  /** Epochs since the start of the stage or since the last rollback. */
  int epochsSinceRollback;

  /** Rollbacks of the stage. */
  int rollbacks;

  /** Whether the guard has given the stage up. */
  boolean givenUp;

  /** What rollbacks have multiplied the rates by. */
  double rateFactor = 1;

  Plateau plateau;

  /** Training loss of the last epoch that stood. */
  double lastLoss = Double.NaN;

  /** The best validation accuracy of stage one; NaN if there was none. */
  double reference = Double.NaN;

  double bestAccuracy = Double.NaN;
  double bestLoss = Double.NaN;
  Stage bestStage;
  int bestEpoch;

  /** DL4J's counts of the network that learns. */
  int iterations;

  int dl4jEpochs;

  List<EpochRecord> history = new ArrayList<>();

  /** Parameters of the best epoch, of the network that learns in this stage; null if none. */
  @JsonIgnore INDArray best;

  /** Parameters of the whole network after stage one; null if there was none. */
  @JsonIgnore INDArray stageOne;

  /** Begins a stage. */
  void begin(Stage next, TrainingPlan plan) {
    stage = next;
    epoch = 0;
    epochsSinceRollback = 0;
    rollbacks = 0;
    givenUp = false;
    rateFactor = 1;
    plateau = plan.plateau();
    lastLoss = Double.NaN;
    iterations = 0;
    dl4jEpochs = 0;
  }

  /** Whether the present stage has more epochs to come. */
  boolean goesOn(TrainingPlan plan) {
    return !givenUp && !plateau.over() && epoch < plan.epochs(stage);
  }

  boolean isBest(EpochRecord record) {
    return bestStage == null
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
