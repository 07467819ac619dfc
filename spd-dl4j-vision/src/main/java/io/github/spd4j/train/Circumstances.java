/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import io.github.spd4j.internal.engine.ImageBatches;
import io.github.spd4j.internal.engine.Seeds;
import io.github.spd4j.train.plan.ClassifierTraining;
import io.github.spd4j.train.plan.Stage;
import io.github.spd4j.train.plan.TrainingPlan;
import java.util.BitSet;
import java.util.Optional;
import java.util.Set;
import org.deeplearning4j.nn.graph.ComputationGraph;

/**
 * What the phases of a training depend on beside its plan.
 *
 * @param reasonAgainstFit why the classifier is not fitted, if it is not
 * @param validated whether there are validation images
 * @param headLearns whether anything of the head learns beside a classifier
 * @param wholeLearns the same of the whole network
 * @param heldOut training images that nothing is learnt from until the rates of the last stage
 *     fall, the same ones in both stages: they tell whether a fitted classifier is better than the
 *     learnt one if nothing else can
 */
record Circumstances(
    Optional<String> reasonAgainstFit,
    boolean validated,
    boolean headLearns,
    boolean wholeLearns,
    BitSet heldOut) {

  /** A tenth of fewer training pictures cannot tell which of two classifiers is better. */
  private static final int MOST_UNCHECKED = 2000;

  /** One of so many pictures is held out. */
  private static final int HELD_OUT = 10;

  /**
   * The circumstances of a training.
   *
   * @param net the whole network
   * @param head names of the vertices after the cut
   */
  static Circumstances of(
      TrainingPlan plan,
      ComputationGraph net,
      Set<String> head,
      ImageBatches training,
      boolean validated) {
    Optional<String> reason = ClassifierFit.reasonAgainst(plan.classifier(), net, training);
    boolean headLearns = Updaters.learnMoreThanTheClassifier(net, head::contains);
    boolean wholeLearns = Updaters.learnMoreThanTheClassifier(net, name -> true);
    boolean lastLearns =
        plan.epochs(Stage.WHOLE) > 0 ? wholeLearns : plan.epochs(Stage.HEAD) > 0 && headLearns;
    boolean compares =
        reason.isEmpty()
            && plan.classifier() == ClassifierTraining.LEARNT_THEN_FITTED
            && lastLearns;
    return new Circumstances(
        reason,
        validated,
        headLearns,
        wholeLearns,
        compares && !validated ? heldOut(training, plan.seed()) : new BitSet());
  }

  private static BitSet heldOut(ImageBatches training, long seed) {
    return PictureGroups.count(training) > MOST_UNCHECKED
        ? PictureGroups.first(training, HELD_OUT, Seeds.order(training.size(), seed))
        : new BitSet();
  }

  /** Whether the classifier can be fitted, and the plan wants that. */
  boolean canFit() {
    return reasonAgainstFit.isEmpty();
  }

  /** How the classifier gets its weights: as the plan wants, if that can be. */
  ClassifierTraining classifier(TrainingPlan plan) {
    return canFit() ? plan.classifier() : ClassifierTraining.LEARNT;
  }

  /** Whether a stage learns anything beside a classifier. */
  boolean learnsMore(Stage stage) {
    return stage == Stage.HEAD ? headLearns : wholeLearns;
  }

  /** Whether there are images that tell which of two classifiers is better. */
  boolean canCompare() {
    return validated || !heldOut.isEmpty();
  }
}
