/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import io.github.spd4j.train.engine.Batches;
import io.github.spd4j.train.engine.Seeds;
import io.github.spd4j.train.engine.TrainingEngine;
import io.github.spd4j.train.plan.ClassifierTraining;
import io.github.spd4j.train.plan.Guard;
import io.github.spd4j.train.plan.KeptWeights;
import io.github.spd4j.train.plan.LayerGroup;
import io.github.spd4j.train.plan.Stage;
import io.github.spd4j.train.plan.TrainingPlan;
import io.github.spd4j.train.progress.EpochRecord;
import io.github.spd4j.train.progress.TrainingProgress;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs the epochs of one stage: sets rates, accepts or undoes each epoch, and saves after it. */
final class StageLoop {

  private static final Logger log = LoggerFactory.getLogger(StageLoop.class);

  private final ComputationGraph net;
  private final Updaters updaters;
  private final Batches training;
  private final Batches validation;
  private final TrainingPlan plan;
  private final RunState state;
  private final TrainingProgress progress;
  private final TrainingEngine learning;
  private final ClassifierFit classifier;
  private final INDArray before;

  /**
   * A stage that begins, or goes on where the state says.
   *
   * @param net the network that learns
   * @param head names of the vertices after the cut
   */
  StageLoop(
      ComputationGraph net,
      Set<String> head,
      Batches training,
      Batches validation,
      TrainingPlan plan,
      RunState state,
      TrainingProgress progress,
      TrainingEngine learning) {
    this.net = net;
    this.training = training;
    this.validation = validation;
    this.plan = plan;
    this.state = state;
    this.progress = progress;
    this.learning = learning;
    this.before = net.params().dup();
    this.classifier = ClassifierFit.of(net, training, plan);
    this.updaters = Updaters.install(net, head, plan, state.stage, classifier.isThroughout());
    net.getConfiguration().setIterationCount(state.iterations);
    net.getConfiguration().setEpochCount(state.dl4jEpochs);
  }

  /**
   * Runs what is left of the stage. Afterwards the network has the weights that the plan keeps.
   *
   * @param memory what the updaters remember from before an interruption; may be null
   * @param save saves network and state
   */
  void run(INDArray memory, Runnable save) {
    updaters.remember(memory);
    if (updaters.frozenLayers() > 0) {
      progress.message("Frozen layers, which do not learn: " + updaters.frozenLayers());
    }
    progress.stageStarted(state.stage, plan.epochs(state.stage), training.size());
    if (plan.classifier() != ClassifierTraining.LEARNT && state.epoch == 0) {
      begin();
    }
    while (state.goesOn(plan) && somethingLearns()) {
      EpochRecord record = epoch();
      save.run();
      progress.epochDone(record);
    }
    if (classifier.isPlanned() && !classifier.isThroughout() && state.epoch > 0) {
      progress.epochDone(end());
    }
    if (keepsBest() && state.best != null) {
      net.params().assign(state.best);
    }
    updaters.setRates(plan, state.stage, totalFactor(), false); // for whoever trains it further
  }

  /** What the updaters remember, or null; a view. */
  INDArray memory() {
    return updaters.memory();
  }

  private void begin() {
    progress.message(classifier.describe());
    boolean only = !somethingLearns() || plan.epochs(state.stage) == 0;
    if (classifier.isPlanned() && state.stage == Stage.HEAD) {
      if (only || classifier.isThroughout() || isValidated()) {
        progress.epochDone(start(only || classifier.isThroughout()));
      }
    } else if (plan.epochs(Stage.HEAD) + plan.epochs(Stage.WHOLE) == 0) {
      throw new IllegalArgumentException(
          "expected at least one epoch, got none in either stage. " + classifier.describe());
    }
  }

  /**
   * The head before it learns anything, with a fitted classifier: epoch 0.
   *
   * @param stays whether learning goes on from that classifier; one that is to learn learns more
   *     from nothing than from the answers to all its questions
   */
  private EpochRecord start(boolean stays) {
    before.assign(net.params());
    EpochRecord record = fitted(0);
    if (stays && isValidated()) {
      state.plateau = state.plateau.after(1 - record.validationAccuracy());
    }
    state.setBest(record, net.params().dup());
    if (!stays) {
      net.params().assign(before);
    }
    return record;
  }

  /** The last epoch with a fitted classifier in place of what it has learnt. */
  private EpochRecord end() {
    EpochRecord record = fitted(state.epoch + 1);
    if (!keepsBest() || state.isBest(record)) {
      state.setBest(record, net.params().dup());
    }
    return record;
  }

  private EpochRecord fitted(int number) {
    long start = System.nanoTime();
    Epoch epoch = newEpoch();
    epoch.fitOnly();
    EpochRecord record = epoch.record(number, Map.of(), (System.nanoTime() - start) / 1e9);
    state.history.add(record);
    return record;
  }

  /** A head without parameters of its own has nothing to learn beside a fitted classifier. */
  private boolean somethingLearns() {
    return !classifier.isPlanned() || updaters.learnMoreThanTheClassifier();
  }

  private Epoch newEpoch() {
    return new Epoch(
        net, state.stage, learning, training, validation, classifier, plan.batchSize(), progress);
  }

  private EpochRecord epoch() {
    long start = System.nanoTime();
    before.assign(net.params());
    double factorBefore = totalFactor();
    Map<LayerGroup, Double> rates = updaters.setRates(plan, state.stage, totalFactor());
    Epoch epoch = newEpoch();
    state.epoch++;
    state.epochsSinceRollback++;
    epoch.run(Seeds.ofEpoch(plan.seed(), state.stage, state.epoch));
    EpochRecord record = epoch.record(state.epoch, rates, (System.nanoTime() - start) / 1e9);
    EpochRecord judged = judge(record, epoch);
    state.history.add(judged);
    state.iterations = net.getIterationCount();
    state.dl4jEpochs = net.getEpochCount();
    if (!judged.rolledBack() && totalFactor() < factorBefore) {
      String why = isValidated() ? "No progress in validation" : "As planned";
      progress.message(why + ": rates are multiplied by " + (float) totalFactor());
    }
    return judged;
  }

  private boolean isValidated() {
    return validation.size() > 0;
  }

  private boolean keepsBest() {
    return isValidated() && plan.keep() == KeptWeights.BEST;
  }

  /** What the rates of the next epoch are multiplied by. */
  private double totalFactor() {
    double cuts =
        isValidated()
            ? state.plateau.rateFactor()
            : plan.plateau().plannedFactor((double) state.epoch / plan.epochs(state.stage));
    return state.rateFactor * cuts;
  }

  private EpochRecord judge(EpochRecord record, Epoch epoch) {
    Guard guard = plan.guard();
    double lossBefore = Double.isNaN(state.lastLoss) ? epoch.firstLoss() : state.lastLoss;
    Optional<String> explosion =
        epoch.failure() != null
            ? Optional.of(epoch.failure())
            : guard.explosion(record.trainingLoss(), lossBefore, training.classes());
    if (explosion.isPresent()) {
      return rollBack(record, explosion.get(), before, "the epoch before");
    }
    if (state.stage == Stage.WHOLE) {
      Optional<String> fall =
          guard.fall(record.validationAccuracy(), state.reference, state.epochsSinceRollback);
      if (fall.isPresent()) {
        state.plateau = plan.plateau();
        return rollBack(record, fall.get(), state.stageOne, "the end of stage one");
      }
    }
    state.lastLoss = record.trainingLoss();
    if (isValidated()) {
      state.plateau = state.plateau.after(1 - record.validationAccuracy());
    }
    if (!isValidated() || state.isBest(record)) {
      state.setBest(record, net.params().dup());
    }
    return record;
  }

  private EpochRecord rollBack(EpochRecord record, String reason, INDArray target, String where) {
    net.params().assign(target);
    updaters.forget();
    state.rollbacks++;
    state.epochsSinceRollback = 0;
    state.rateFactor *= plan.guard().rateFactor();
    state.givenUp = state.rollbacks > plan.guard().maxRollbacks();
    String what =
        "Stage "
            + record.stage()
            + ", epoch "
            + record.epoch()
            + " is rolled back to "
            + where
            + ": "
            + reason
            + ". ";
    if (state.givenUp && state.best == null) {
      throw new IllegalStateException(
          what
              + "No epoch before it was good either, at "
              + state.rollbacks
              + " different rates; expected smaller rates, or images without NaN");
    }
    String text =
        what
            + (state.givenUp
                ? "The stage ends here"
                : "Rates are now multiplied by " + totalFactor());
    log.warn(text);
    progress.message(text);
    return record.rolledBackBecause(reason);
  }
}
