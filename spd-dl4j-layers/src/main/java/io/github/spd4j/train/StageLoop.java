/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import io.github.spd4j.train.engine.Batches;
import io.github.spd4j.train.engine.Seeds;
import io.github.spd4j.train.plan.ClassifierTraining;
import io.github.spd4j.train.plan.KeptWeights;
import io.github.spd4j.train.plan.LayerGroup;
import io.github.spd4j.train.plan.Stage;
import io.github.spd4j.train.plan.TrainingPlan;
import io.github.spd4j.train.progress.EpochRecord;
import io.github.spd4j.train.progress.TrainingProgress;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs the epochs of one stage: sets rates, accepts or undoes each epoch, and saves after it. */
final class StageLoop {

  private static final Logger log = LoggerFactory.getLogger(StageLoop.class);

  private final TrainingContext context;
  private final TrainingPlan plan;
  private final TrainingState state;
  private final TrainingProgress progress;
  private final ComputationGraph net;
  private final Batches training;
  private final Batches validation;
  private final ClassifierFit classifier;
  private final Updaters updaters;
  private final INDArray before;

  /**
   * A stage that begins, or goes on where the state says.
   *
   * @param net the network that learns
   * @param head names of the vertices after the cut
   */
  StageLoop(
      TrainingContext context,
      ComputationGraph net,
      Set<String> head,
      Batches training,
      Batches validation) {
    this.context = context;
    this.plan = context.plan;
    this.state = context.state;
    this.progress = context.progress;
    this.net = net;
    this.training = training;
    this.validation = validation;
    this.before = net.params().dup();
    this.classifier = new ClassifierFit(net, training, plan.classifier(), progress);
    this.updaters = new Updaters(net, head, plan, state.stage(), classifier.isThroughout());
    state.restoreCounts(net);
  }

  /**
   * Runs what is left of the stage. Afterwards the network has the weights that the plan keeps.
   *
   * @param updaterState the state of the updaters before an interruption; may be null
   * @param save saves the network and the state of its updaters
   */
  void run(INDArray updaterState, Consumer<INDArray> save) {
    updaters.restore(updaterState);
    if (updaters.frozenLayers() > 0) {
      progress.message("Frozen layers, which do not learn: " + updaters.frozenLayers());
    }
    progress.stageStarted(state.stage(), plan.epochs(state.stage()), training.size());
    if (plan.classifier() != ClassifierTraining.LEARNT && state.epoch() == 0) {
      begin();
    }
    while (state.goesOn(plan) && somethingLearns()) {
      EpochRecord record = epoch();
      save.accept(updaters.state());
      progress.epochDone(record);
    }
    if (classifier.isPlanned() && !classifier.isThroughout() && state.epoch() > 0) {
      end();
    }
    if (keepsBest() && state.best() != null) {
      net.params().assign(state.best());
    }
    updaters.setRates(rateFactor(), false); // for whoever trains it further
  }

  private void begin() {
    progress.message(classifier.describe());
    boolean only = !somethingLearns() || plan.epochs(state.stage()) == 0;
    if (classifier.isPlanned() && state.stage() == Stage.HEAD) {
      boolean stays = only || classifier.isThroughout();
      if (stays || isValidated()) {
        start(stays);
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
   *     from scratch than from a fit to the same images
   */
  private void start(boolean stays) {
    before.assign(net.params());
    EpochRecord record = fitted(0);
    if (stays && isValidated()) {
      state.updatePlateau(record);
    }
    state.setBest(record, net.params().dup());
    if (!stays) {
      net.params().assign(before);
    }
    progress.epochDone(record);
  }

  /** The last epoch with a fitted classifier in place of what it has learnt. */
  private void end() {
    EpochRecord record = fitted(state.epoch() + 1);
    if (!keepsBest() || state.isBest(record)) {
      state.setBest(record, net.params().dup());
    }
    progress.epochDone(record);
  }

  private EpochRecord fitted(int number) {
    Epoch epoch = newEpoch();
    epoch.fitOnly();
    EpochRecord record = epoch.record(state.stage(), number, Map.of(), null);
    state.add(record, net);
    return record;
  }

  /** A head without parameters of its own has nothing to learn beside a fitted classifier. */
  private boolean somethingLearns() {
    return !classifier.isPlanned() || updaters.learnMoreThanTheClassifier();
  }

  private boolean isValidated() {
    return validation.size() > 0;
  }

  private boolean keepsBest() {
    return isValidated() && plan.keep() == KeptWeights.BEST;
  }

  private double rateFactor() {
    return state.rateFactor(plan, isValidated());
  }

  private Epoch newEpoch() {
    return new Epoch(context, net, training, validation, classifier);
  }

  private EpochRecord epoch() {
    before.assign(net.params());
    double factor = rateFactor();
    Map<LayerGroup, Double> rates = updaters.setRates(factor);
    Epoch epoch = newEpoch();
    int number = state.nextEpoch();
    epoch.run(Seeds.ofEpoch(plan.seed(), state.stage(), number));
    Optional<String> explosion =
        epoch
            .failure()
            .or(() -> state.explosion(plan.guard(), epoch.training(), training.classes()));
    Optional<String> fall =
        explosion.isPresent() ? Optional.empty() : state.fall(plan.guard(), epoch.validation());
    String reason = explosion.or(() -> fall).orElse(null);
    EpochRecord record = epoch.record(state.stage(), number, rates, reason);
    if (explosion.isPresent()) {
      rollBack(record, before, "the epoch before");
    } else if (fall.isPresent()) {
      state.restartPlateau(plan);
      rollBack(record, state.stageOne(), "the end of stage one");
    } else {
      accept(record, factor);
    }
    state.add(record, net);
    return record;
  }

  private void accept(EpochRecord record, double factor) {
    if (isValidated()) {
      state.updatePlateau(record);
    }
    if (!isValidated() || state.isBest(record)) {
      state.setBest(record, net.params().dup());
    }
    if (rateFactor() < factor) {
      String why = isValidated() ? "No progress in validation" : "As planned";
      progress.message(why + ": rates are multiplied by " + (float) rateFactor());
    }
  }

  private void rollBack(EpochRecord record, INDArray target, String where) {
    net.params().assign(target);
    updaters.reset();
    boolean goesOn = state.rollBack(plan.guard());
    String what =
        String.format(
            "Stage %s, epoch %d is rolled back to %s: %s. ",
            record.stage(), record.epoch(), where, record.rollbackReason());
    if (!goesOn && state.best() == null) {
      throw new IllegalStateException(
          String.format(
              "%sNo epoch before it was good either, at %d different rates;"
                  + " expected smaller rates, or images without NaN",
              what, plan.guard().maxRollbacks() + 1));
    }
    String text =
        what + (goesOn ? "Rates are now multiplied by " + rateFactor() : "The stage ends here");
    log.warn(text);
    progress.message(text);
  }
}
