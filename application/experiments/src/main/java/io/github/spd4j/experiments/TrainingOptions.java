/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import io.github.spd4j.train.plan.ClassifierTraining;
import io.github.spd4j.train.plan.LayerGroup;
import io.github.spd4j.train.plan.Optimizer;
import io.github.spd4j.train.plan.Stage;
import io.github.spd4j.train.plan.TrainingPlan;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Option;

/** How the networks are trained. */
public final class TrainingOptions implements Cloneable {

  /** Plans to start from. */
  public enum Preset {
    /** {@link TrainingPlan#recommended()}. */
    RECOMMENDED,
    /** {@link TrainingPlan#fitted()}. */
    FITTED,
    /** {@link TrainingPlan#paper()}. */
    PAPER
  }

  /** The plan to start from. */
  @Option(
      names = "--plan",
      paramLabel = "PLAN",
      description = {
        "Optimiser, rates and classifier: ${COMPLETION-CANDIDATES}.",
        "RECOMMENDED is Adam and a classifier that is fitted in the end; FITTED fits it throughout."
      })
  public Preset preset = Preset.RECOMMENDED;

  /** How steps follow from gradients, in place of the plan's way. */
  @Option(
      names = "--optimizer",
      paramLabel = "HOW",
      description =
          "How steps follow from gradients, in place of the plan's way: ${COMPLETION-CANDIDATES}.")
  public Optimizer optimizer;

  /** How the classifier is trained, in place of the plan's way. */
  @Option(
      names = "--classifier",
      paramLabel = "HOW",
      description =
          "How the classifier is trained, in place of the plan's way: ${COMPLETION-CANDIDATES}.")
  public ClassifierTraining classifier;

  /** The most epochs of stage one. */
  @Option(names = "--epochs-head", paramLabel = "N", description = "The most epochs of stage one.")
  public int headEpochs = 30;

  /** The most epochs of stage two. */
  @Option(
      names = "--epochs-whole",
      paramLabel = "N",
      description = "The most epochs of stage two; 0 leaves it out.")
  public int wholeEpochs = 30;

  /** Images per step. */
  @Option(names = "--batch", paramLabel = "N", description = "Images per step.")
  public int batch = 32;

  /** Rates of stage one in place of the plan's. */
  @Option(
      names = "--rate",
      paramLabel = "PART=RATE",
      split = ",",
      description = "Rates of stage one: classifier, convolution, transform, rest.")
  public Map<LayerGroup, Double> headRates = new EnumMap<>(LayerGroup.class);

  /** Rates of stage two in place of the plan's. */
  @Option(
      names = "--whole-rate",
      paramLabel = "PART=RATE",
      split = ",",
      description = "Rates of stage two: the same parts, and backbone.")
  public Map<LayerGroup, Double> wholeRates = new EnumMap<>(LayerGroup.class);

  /** The weight decay. */
  @Option(names = "--weight-decay", paramLabel = "X", description = "The weight decay.")
  public double weightDecay = 5e-4;

  /** The usual options, for picocli and for tests. */
  public TrainingOptions() {}

  /** A copy whose rates are its own. */
  TrainingOptions copy() {
    try {
      TrainingOptions copy = (TrainingOptions) clone();
      copy.headRates = new EnumMap<>(LayerGroup.class);
      copy.wholeRates = new EnumMap<>(LayerGroup.class);
      copy.headRates.putAll(headRates);
      copy.wholeRates.putAll(wholeRates);
      return copy;
    } catch (CloneNotSupportedException e) {
      throw new AssertionError(e);
    }
  }

  /**
   * The plan of a run.
   *
   * @param seed the run's seed
   */
  TrainingPlan plan(long seed) {
    TrainingPlan start = start();
    TrainingPlan.Builder plan =
        start.toBuilder()
            .optimizer(optimizer == null ? start.optimizer() : optimizer)
            .classifier(classifier == null ? start.classifier() : classifier);
    headRates.forEach((part, rate) -> plan.rate(Stage.HEAD, part, rate));
    wholeRates.forEach((part, rate) -> plan.rate(Stage.WHOLE, part, rate));
    return plan.epochs(Stage.HEAD, headEpochs)
        .epochs(Stage.WHOLE, wholeEpochs)
        .batchSize(batch)
        .weightDecay(weightDecay)
        .seed(seed)
        .build();
  }

  private TrainingPlan start() {
    switch (preset) {
      case PAPER:
        return TrainingPlan.paper();
      case FITTED:
        return TrainingPlan.fitted();
      default:
        return TrainingPlan.recommended();
    }
  }

  /** A plan by its settings. */
  static Map<String, String> settings(TrainingPlan plan) {
    Map<String, String> all = new LinkedHashMap<>();
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
    all.put("plateau", plan.plateau().toString());
    return all;
  }
}
