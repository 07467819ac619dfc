/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import io.github.spd4j.acceleration.Precision;
import io.github.spd4j.graft.Head;
import io.github.spd4j.train.plan.ClassifierTraining;
import io.github.spd4j.train.plan.LayerGroup;
import io.github.spd4j.train.plan.Optimizer;
import io.github.spd4j.train.plan.Stage;
import io.github.spd4j.train.plan.TrainingPlan;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/** How the networks are trained: a plan to start from, and what takes the place of its values. */
public final class TrainingSettings {

  /** Plans to start from. */
  public enum Preset {
    /** {@link TrainingPlan#recommended()}, with a smaller rate for a convolution that needs it. */
    RECOMMENDED(TrainingPlan::recommended),
    /** {@link TrainingPlan#fitted()}. */
    FITTED(TrainingPlan::fitted),
    /** {@link TrainingPlan#paper()}. */
    PAPER(TrainingPlan::paper);

    private final Supplier<TrainingPlan> plan;

    Preset(Supplier<TrainingPlan> plan) {
      this.plan = plan;
    }

    /**
     * Whether the plan trains the whole network, and how long at most.
     *
     * @return epochs of stage two
     */
    public int wholeEpochs() {
      return plan.get().epochs(Stage.WHOLE);
    }
  }

  /** The plan to start from. */
  public Preset preset = Preset.RECOMMENDED;

  /** How steps follow from gradients, or null for the plan's way. */
  public Optimizer optimizer;

  /** How the classifier is trained, or null for the plan's way. */
  public ClassifierTraining classifier;

  /** The most epochs of stage one. */
  public int headEpochs = 30;

  /** The most epochs of stage two. */
  public int wholeEpochs = preset.wholeEpochs();

  /** Images per step. */
  public int batch = 32;

  /** Rates of stage one in place of the plan's. */
  public Map<LayerGroup, Double> headRates = new EnumMap<>(LayerGroup.class);

  /** Rates of stage two in place of the plan's. */
  public Map<LayerGroup, Double> wholeRates = new EnumMap<>(LayerGroup.class);

  /** Whether each class counts as much as the largest. */
  public boolean balance;

  /** The weight decay. */
  public double weightDecay = 5e-4;

  /** How exactly convolutions compute. */
  public Precision precision = Precision.FLOAT;

  /** The defaults. */
  public TrainingSettings() {}

  /**
   * A copy.
   *
   * @return settings that can be changed on their own
   */
  public TrainingSettings copy() {
    return Json.copy(this, TrainingSettings.class);
  }

  /**
   * The plan of a run, whatever its head.
   *
   * @param seed its seed
   * @return the preset with these settings in place of its own
   */
  public TrainingPlan plan(long seed) {
    return plan(preset.plan.get(), seed);
  }

  /** The plan of a run. */
  TrainingPlan plan(Head head, long seed) {
    return plan(preset == Preset.RECOMMENDED ? head.recommendedPlan() : preset.plan.get(), seed);
  }

  private TrainingPlan plan(TrainingPlan start, long seed) {
    TrainingPlan.Builder plan =
        start.toBuilder()
            .optimizer(optimizer == null ? start.optimizer() : optimizer)
            .classifier(classifier == null ? start.classifier() : classifier);
    if (headRates.containsKey(LayerGroup.CLASSIFIER)
        || wholeRates.containsKey(LayerGroup.CLASSIFIER)) {
      plan.limitClassifierRate(false); // who sets a rate wants that one
    }
    headRates.forEach((part, rate) -> plan.rate(Stage.HEAD, part, rate));
    wholeRates.forEach((part, rate) -> plan.rate(Stage.WHOLE, part, rate));
    return plan.epochs(Stage.HEAD, headEpochs)
        .epochs(Stage.WHOLE, wholeEpochs)
        .batchSize(batch)
        .weightDecay(weightDecay)
        .precision(precision)
        .seed(seed)
        .build();
  }

  /** By the names that runs are stored with. */
  Map<String, String> byName(Head head, long seed) {
    TrainingPlan plan = plan(head, seed);
    Map<String, String> all = new LinkedHashMap<>();
    all.put("plan", preset.name());
    for (Stage stage : Stage.values()) {
      String suffix = stage == Stage.HEAD ? "Head" : "Whole";
      all.put("epochs" + suffix, String.valueOf(plan.epochs(stage)));
      Map<LayerGroup, Double> rates = new EnumMap<>(LayerGroup.class);
      for (LayerGroup part : LayerGroup.values()) {
        rates.put(part, plan.rate(stage, part));
      }
      all.put("rates" + suffix, rates.toString());
    }
    all.put("optimizer", plan.optimizer().toString());
    all.put("classifier", plan.classifier().toString());
    all.put("batch", String.valueOf(plan.batchSize()));
    all.put("momentum", String.valueOf(plan.momentum()));
    all.put("weightDecay", String.valueOf(plan.weightDecay()));
    all.put("schedule", plan.schedule().toString());
    if (balance) {
      all.put(RunSettings.BALANCE, "true");
    }
    all.put("limitClassifierRate", String.valueOf(plan.limitsClassifierRate()));
    if (precision != Precision.FLOAT) { // runs of earlier versions have none
      all.put(RunSettings.PRECISION, precision.toString());
    }
    return all;
  }
}
