/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import io.github.spd4j.internal.dl4j.WrappedLayers;
import io.github.spd4j.internal.engine.ImageBatches;
import io.github.spd4j.internal.engine.Seeds;
import io.github.spd4j.layers.SpdBatchNormalizationLayer;
import io.github.spd4j.train.plan.ClassifierTraining;
import io.github.spd4j.train.plan.LayerGroup;
import io.github.spd4j.train.plan.Optimizer;
import io.github.spd4j.train.plan.Stage;
import io.github.spd4j.train.plan.TrainingPlan;
import io.github.spd4j.train.progress.EpochRecord;
import io.github.spd4j.train.progress.TrainingProgress;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.deeplearning4j.nn.conf.layers.BatchNormalization;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs the phases of one stage, and has what they share: the network that learns, its images. */
final class StageRun {

  private static final Logger log = LoggerFactory.getLogger(StageRun.class);

  private final TrainingContext context;
  private final TrainingState state;
  private final ComputationGraph net;
  private final ImageBatches training;
  private final ImageBatches validation;
  private final ClassifierFit classifier;
  private final Updaters updaters;
  private final Consumer<INDArray> save;
  private INDArray kept;
  private INDArray learnt;
  private double learntAccuracy;

  /**
   * A stage that begins, or goes on where the state says.
   *
   * @param net the network that learns
   * @param head names of the vertices after the cut
   * @param save saves the network and the state of its updaters
   */
  StageRun(
      TrainingContext context,
      ComputationGraph net,
      Set<String> head,
      ImageBatches training,
      ImageBatches validation,
      Consumer<INDArray> save) {
    this.context = context;
    this.state = context.state();
    this.net = net;
    this.training = training;
    this.validation = validation;
    this.save = save;
    this.classifier = new ClassifierFit(net, training, context.progress());
    limitClassifierRate(head);
    this.updaters = updaters(context, net, head);
  }

  /** Once a stage, and before there are updaters: equal rates merge their blocks. */
  private void limitClassifierRate(Set<String> head) {
    if (plan().limitsClassifierRate()
        && plan().optimizer() == Optimizer.ADAM
        && !plan().keepsUpdaters()
        && context.known().classifier(plan()) != ClassifierTraining.FITTED
        && plan().epochs(state.lastStage()) > 0
        && !(state.lastStage() == Stage.HEAD && normalisesByTheBatch(head))
        && Double.isNaN(state.classifierLimit())) {
      int[] images = Seeds.order(training.size(), plan().seed());
      BitSet heldOut = context.known().heldOut();
      int[] seen = Arrays.stream(images).filter(image -> !heldOut.get(image)).toArray();
      classifier.rateLimit(seen).ifPresent(state::limitClassifierRate);
    }
  }

  /** Before it learns, such a head knows no mean to subtract. */
  private boolean normalisesByTheBatch(Set<String> head) {
    return head.stream()
        .map(net::getLayer)
        .filter(Objects::nonNull)
        .map(layer -> WrappedLayers.unwrapped(layer.conf().getLayer()))
        .anyMatch(
            layer ->
                layer instanceof BatchNormalization || layer instanceof SpdBatchNormalizationLayer);
  }

  /** Gives a network the updaters of the stage that the state says, and the counts of its steps. */
  private static Updaters updaters(
      TrainingContext context, ComputationGraph net, Set<String> head) {
    TrainingPlan plan = context.plan();
    boolean fixed = context.known().classifier(plan) == ClassifierTraining.FITTED;
    TrainingState state = context.state();
    Updaters updaters =
        new Updaters(net, head, plan, state.lastStage(), state.classifierLimit(), fixed);
    state.restoreCounts(net);
    return updaters;
  }

  /** Gives a network what a training that is over leaves, for whoever trains it further. */
  static void equip(TrainingContext context, ComputationGraph net, Set<String> head) {
    updaters(context, net, head).setRates(context.state().rateFactor(), false);
  }

  /**
   * Runs what is left of the stage. Afterwards the network has the weights to go on with.
   *
   * @param phases all phases of the stage
   * @param updaterState the state of the updaters before an interruption; may be null
   */
  void run(List<Phase> phases, INDArray updaterState) {
    updaters.restore(updaterState);
    announce();
    while (state.phase() < phases.size()) {
      phases.get(state.phase()).run(this);
      state.nextPhase();
    }
    updaters.setRates(rateFactor(), false); // for whoever trains it further
  }

  private void announce() {
    if (updaters.frozenLayers() > 0) {
      progress().message("Frozen layers, which do not learn: " + updaters.frozenLayers());
    }
    boolean isCompared = state.fitIsBetter().isPresent(); // from then on all images train
    int heldOut = isCompared ? 0 : context.known().heldOut().cardinality();
    int images = training.size() - heldOut;
    progress().stageStarted(state.stage(), plan().epochs(state.stage()), images);
    if (state.epoch() > 0) {
      progress().stageResumed(state.epoch());
    }
    double limit = state.classifierLimit();
    if (limit < plan().rate(state.stage(), LayerGroup.CLASSIFIER)) {
      progress()
          .message(
              String.format(
                  Locale.ROOT,
                  "The classifier's rate is held down to %.2g: the vectors that it sees have"
                      + " much in common",
                  limit));
    }
    if (context.known().canFit()) {
      classifier.limit(images).ifPresent(this::note);
    }
    if (heldOut > 0) {
      note(
          String.format(
              "%d of %d training images are held out until the rates fall, to tell whether the"
                  + " classifier that is fitted or the one that is learnt is better: there are no"
                  + " validation images",
              heldOut, training.size()));
    }
  }

  TrainingPlan plan() {
    return context.plan();
  }

  boolean isValidated() {
    return context.known().validated();
  }

  TrainingState state() {
    return state;
  }

  TrainingProgress progress() {
    return context.progress();
  }

  ComputationGraph net() {
    return net;
  }

  ImageBatches training() {
    return training;
  }

  ClassifierFit classifier() {
    return classifier;
  }

  Updaters updaters() {
    return updaters;
  }

  /** What the rates of the next epoch are multiplied by. */
  double rateFactor() {
    return state.rateFactor();
  }

  /** Tells the user, and keeps it for the result. */
  void note(String text) {
    if (state.note(text)) {
      log.warn(text);
      progress().message(text);
    }
  }

  Epoch newEpoch() {
    return new Epoch(context, net, training, validation, classifier);
  }

  /** Fits the classifier, and records what that comes to as an epoch of that number. */
  EpochRecord fit(int number) {
    return recordOfFit(newEpoch().fit(), number);
  }

  EpochRecord recordOfFit(Epoch epoch, int number) {
    EpochRecord record = epoch.record(state.stage(), number, Map.of(), null);
    state.add(record, net);
    return record;
  }

  /** The network is as good as it ever was. */
  void setBest(EpochRecord record) {
    state.setBest(record, net.params().dup());
  }

  void save() {
    save.accept(updaters.state());
  }

  /** Remembers the parameters before a fit, and their accuracy in validation. */
  void setLearnt(INDArray parameters, double accuracy) {
    learnt = parameters;
    learntAccuracy = accuracy;
  }

  /** Keeps what the network is, and goes on from what it was before the last fit. */
  void goOnFromLearnt() {
    kept = net.params().dup();
    net.params().assign(learnt);
    state.setReference(learntAccuracy);
  }

  /** The parameters that the stage keeps, whatever the next one begins with. */
  INDArray kept() {
    return kept == null ? net.params() : kept;
  }
}
