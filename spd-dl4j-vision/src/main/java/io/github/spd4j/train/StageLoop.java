/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import io.github.spd4j.internal.engine.Batches;
import io.github.spd4j.internal.engine.Seeds;
import io.github.spd4j.train.plan.ClassifierTraining;
import io.github.spd4j.train.plan.KeptWeights;
import io.github.spd4j.train.plan.LayerGroup;
import io.github.spd4j.train.plan.Stage;
import io.github.spd4j.train.plan.TrainingPlan;
import io.github.spd4j.train.progress.EpochRecord;
import io.github.spd4j.train.progress.LossAndAccuracy;
import io.github.spd4j.train.progress.TrainingProgress;
import java.util.BitSet;
import java.util.Locale;
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

  /** A tenth of fewer training pictures cannot tell which of two classifiers is better. */
  private static final int MOST_UNCHECKED = 2000;

  /** One of so many pictures is held out. */
  private static final int HELD_OUT = 10;

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
  private final BitSet heldOut;
  private INDArray learnt;

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
    this.heldOut = heldOut();
    state.restoreCounts(net);
  }

  /**
   * Some training images that nothing is learnt from, the same ones in both stages, if nothing else
   * can tell whether a fitted classifier is better than the learnt one.
   */
  private BitSet heldOut() {
    boolean learns =
        plan.epochs(Stage.WHOLE) > 0
            || plan.epochs(Stage.HEAD) > 0 && updaters.learnMoreThanTheClassifier();
    boolean compares = classifier.isPlanned() && !classifier.isThroughout() && learns;
    boolean unknown = compares && !isValidated();
    return unknown && Pictures.count(training) > MOST_UNCHECKED
        ? Pictures.first(training, HELD_OUT, Seeds.order(training.size(), plan.seed()))
        : new BitSet();
  }

  /** Tells the user, and keeps it for the result. */
  private void note(String text) {
    if (state.note(text)) {
      log.warn(text);
      progress.message(text);
    }
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
    int images = training.size() - heldOut.cardinality();
    progress.stageStarted(state.stage(), plan.epochs(state.stage()), images);
    if (state.epoch() > 0) {
      progress.stageResumed(state.epoch());
    }
    classifier.limit(images).ifPresent(this::note);
    if (images < training.size()) {
      note(
          String.format(
              "%d of %d training images are held out, to tell whether the classifier that is fitted"
                  + " or the one that is learnt is better: there are no validation images",
              training.size() - images, training.size()));
    }
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

  /**
   * The parameters that were learnt, if the stage keeps others with a fitted classifier. Learning
   * goes on from these: a classifier that is fitted to all images makes no mistakes with them, and
   * leaves the layers before it nothing to learn.
   */
  Optional<INDArray> learnt() {
    return Optional.ofNullable(learnt);
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

  /**
   * The last epoch with a fitted classifier in place of what it has learnt, unless that is better
   * on images that neither has seen.
   */
  private void end() {
    before.assign(net.params());
    LossAndAccuracy known = unseen(newEpoch());
    Epoch epoch = newEpoch();
    epoch.fitOnly();
    LossAndAccuracy fitted = isValidated() ? epoch.validation() : epoch.onHeldOut();
    boolean unchecked = known.images() == 0;
    boolean better = unchecked || fitted.isBetterThan(known);
    if (better && !heldOut.isEmpty() && isLastStage()) {
      classifier.fitTo(Seeds.order(training.size(), 0)); // those that were held out have told
    }
    EpochRecord record = epoch.record(state.stage(), state.epoch() + 1, Map.of(), null);
    state.add(record, net);
    if (!better) {
      net.params().assign(before);
      note(
          String.format(
              Locale.ROOT,
              "Stage %s: the fitted classifier is dropped. Of %d images that neither has seen, it"
                  + " has %.1f %% right, the learnt one %.1f %%",
              state.stage(),
              fitted.images(),
              100 * fitted.accuracy(),
              100 * known.accuracy()));
    } else if (!keepsBest() || state.isBest(record)) {
      state.setBest(record, net.params().dup());
    }
    if (state.keepsFit()) {
      learnt = before.dup();
      state.setReference(known.accuracy());
    }
    if (unchecked) {
      note(
          "Stage "
              + state.stage()
              + ": the fitted classifier is not compared with the learnt one, for want of images"
              + " that neither has seen. Give the trainer validation images");
    }
    progress.epochDone(record);
  }

  private LossAndAccuracy unseen(Epoch epoch) {
    return isValidated() ? epoch.validate() : epoch.onHeldOut();
  }

  private boolean isLastStage() {
    return state.stage() == Stage.WHOLE || plan.epochs(Stage.WHOLE) == 0;
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
    return new Epoch(context, net, training, heldOut, validation, classifier);
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
