/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import io.github.spd4j.train.plan.ClassifierTraining;
import io.github.spd4j.train.plan.KeptWeights;
import io.github.spd4j.train.plan.Stage;
import io.github.spd4j.train.plan.TrainingPlan;
import java.util.ArrayList;
import java.util.List;

/** What a plan comes to: the phases of both stages, in the order in which they run. */
final class Phases {

  private static final String UNTIL_RATES_FALL = ", until the rates fall";

  private final TrainingPlan plan;
  private final Circumstances known;
  private final ClassifierTraining classifier;

  /**
   * The phases of a training.
   *
   * @param known what they depend on beside the plan
   */
  Phases(TrainingPlan plan, Circumstances known) {
    this.plan = plan;
    this.known = known;
    this.classifier = known.classifier(plan);
  }

  /** The phases of a stage. */
  List<Phase> of(Stage stage) {
    boolean last = stage == Stage.WHOLE || plan.epochs(Stage.WHOLE) == 0;
    List<Phase> phases = new ArrayList<>();
    if (stage == Stage.HEAD) {
      addFirstFit(phases);
    }
    if (learns(stage)) {
      boolean holdsOut = last && !known.heldOut().isEmpty();
      phases.add(learn(stage, holdsOut ? UNTIL_RATES_FALL : "", holdsOut));
      if (holdsOut) {
        phases.add(new Compare());
        phases.add(new Learn("Go on, with all images", Epoch::pass, false));
      }
      if (classifier == ClassifierTraining.LEARNT_THEN_FITTED) {
        phases.add(known.canCompare() && !holdsOut ? new FitIfBetter() : new FitUnchecked());
      }
      if (known.validated() && plan.keep() == KeptWeights.BEST) {
        phases.add(new KeepBest());
      }
      if (classifier == ClassifierTraining.LEARNT_THEN_FITTED && !last) {
        phases.add(new GoOnFromLearnt());
      }
    }
    return phases;
  }

  /** Beside a fitted classifier there may be nothing to learn. */
  private boolean learns(Stage stage) {
    return plan.epochs(stage) > 0
        && (classifier == ClassifierTraining.LEARNT || known.learnsMore(stage));
  }

  private void addFirstFit(List<Phase> phases) {
    if (classifier == ClassifierTraining.LEARNT) {
      return;
    }
    if (classifier == ClassifierTraining.FITTED || !learns(Stage.HEAD)) {
      phases.add(new FitFirst());
    } else if (known.validated()) {
      phases.add(new FitForComparison());
    }
  }

  private Learn learn(Stage stage, String until, boolean fullRates) {
    String what = stage == Stage.HEAD ? "the head" : "the whole network";
    int most = plan.epochs(stage);
    String epochs =
        "Learn " + what + (most == 1 ? " for 1 epoch" : " for at most " + most + " epochs");
    return classifier == ClassifierTraining.FITTED
        ? new Learn(
            epochs + ", each half with a classifier fitted to the other", Epoch::halves, false)
        : new Learn(epochs + until, Epoch::pass, fullRates);
  }

  /** The phases of both stages, for people. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    for (Stage stage : Stage.values()) {
      of(stage).forEach(phase -> lines.add((lines.size() + 1) + ". " + phase));
    }
    return lines;
  }
}
