/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import io.github.spd4j.datasets.Views;
import io.github.spd4j.experiments.Candidate;
import io.github.spd4j.experiments.ClusterSettings;
import io.github.spd4j.experiments.ExperimentSettings;
import io.github.spd4j.experiments.HeadSettings;
import io.github.spd4j.experiments.Method;
import io.github.spd4j.experiments.TrainingSettings;
import io.github.spd4j.experiments.UserException;
import io.github.spd4j.train.plan.ClassifierTraining;
import io.github.spd4j.train.plan.LayerGroup;
import io.github.spd4j.train.plan.Optimizer;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/**
 * The options of experiments: they fill {@link ExperimentSettings}. Their help is in {@code
 * ExperimentCommand.properties}.
 */
final class ExperimentOptions {

  private static final String ALL = "all";
  private static final String DASHES = "--";

  private final ExperimentSettings settings = new ExperimentSettings();
  private final SettingsOptions options;
  private List<String> methods;
  private List<String> tries;

  /** Adds the options to a command. */
  ExperimentOptions(CommandSpec spec) {
    options = new SettingsOptions(spec);
    addRuns();
    addTraining(options, settings.training);
    addCluster(settings.cluster);
    addHead(options, settings.head);
  }

  /**
   * What was parsed.
   *
   * @throws UserException if a value cannot be
   */
  ExperimentSettings settings() {
    options.assign();
    settings.methods = methods.stream().flatMap(ExperimentOptions::methods).distinct().toList();
    settings.tries = tries.stream().map(text -> candidate(settings, text)).toList();
    check(settings);
    return settings;
  }

  private void addRuns() {
    ExperimentSettings s = settings;
    options.addList(
        "--method --methods METHOD", String.class, List.of(Method.SPD.key()), x -> methods = x);
    options.add("--backbone NAME", s.backbone, x -> s.backbone = x);
    options.addOptional("--cut LAYER", String.class, x -> s.cut = x);
    options.add("--size PIXELS", s.size, x -> s.size = x);
    options.addList("--seed --seeds N", Long.class, s.seeds, x -> s.seeds = x);
    options.addList("--partitions N", Integer.class, s.partitions, x -> s.partitions = x);
    options.addList("--splits N", Long.class, s.splits, x -> s.splits = x);
    options.add("--validation SHARE", s.validation, x -> s.validation = x);
    options.addOptional("--training-views VIEWS", Views.class, x -> s.trainingViews = x);
    options.addOptional("--test-views VIEWS", Views.class, x -> s.testViews = x);
    options.addTexts("--try OPTIONS", x -> tries = x);
    options.add("--folds N", s.folds, x -> s.folds = x);
    options.add("-o --out FOLDER", s.out, x -> s.out = x);
    options.add("--drop-models", false, x -> s.dropModels = x);
  }

  private static void addTraining(SettingsOptions options, TrainingSettings s) {
    options.add("--plan PLAN", s.preset, x -> s.preset = x);
    options.addOptional("--optimizer NAME", Optimizer.class, x -> s.optimizer = x);
    options.addOptional("--classifier HOW", ClassifierTraining.class, x -> s.classifier = x);
    options.add("--epochs-head N", s.headEpochs, x -> s.headEpochs = x);
    options.add("--epochs-whole N", s.wholeEpochs, x -> s.wholeEpochs = x);
    options.add("--batch N", s.batch, x -> s.batch = x);
    options.addMap("--rate PART=RATE", LayerGroup.class, s.headRates);
    options.addMap("--whole-rate PART=RATE", LayerGroup.class, s.wholeRates);
    options.add("--weight-decay X", s.weightDecay, x -> s.weightDecay = x);
  }

  private void addCluster(ClusterSettings s) {
    options.addOptional("--spark MASTER", String.class, x -> s.master = x);
    options.addOptional("--spark-folder PATH", String.class, x -> s.folder = x);
    options.add("--spark-workers N", s.workers, x -> s.workers = x);
    options.add("--average-every N", s.averageEvery, x -> s.averageEvery = x);
  }

  private static void addHead(SettingsOptions options, HeadSettings s) {
    options.add("--transform N", s.transform, x -> s.transform = x);
    options.add("--scale X", s.scale, x -> s.scale = x);
    options.add("--bandwidth X", s.bandwidth, x -> s.bandwidth = x);
    options.add("--differentiate-bandwidth", false, x -> s.differentiateBandwidth = x);
    options.add("--learn-bandwidth", false, x -> s.learnBandwidth = x);
    options.add("--kernel KERNEL", s.kernel, x -> s.kernel = x);
    options.add("--power-floor X", s.powerFloor, x -> s.powerFloor = x);
    options.add("--components N", s.components, x -> s.components = x);
    options.add("--dimensions N", s.dimensions, x -> s.dimensions = x);
    options.add("--sketch N", s.sketch, x -> s.sketch = x);
    options.add("--random-start", false, x -> s.randomStart = x);
  }

  private static Stream<Method> methods(String key) {
    if (key.equals(ALL)) {
      return Stream.of(Method.values());
    }
    String message = "--method needs %s or some of %s, got %s".formatted(ALL, Method.keys(), key);
    return Stream.of(Method.find(key).orElseThrow(() -> new UserException(message)));
  }

  /**
   * What is set, but for some options of head and training.
   *
   * @param settings what is set
   * @param text options with their values, with or without dashes: "scale 3 rate transform=0.01"
   * @throws UserException if there is no such option, or it needs another value
   */
  static Candidate candidate(ExperimentSettings settings, String text) {
    HeadSettings head = settings.head.copy();
    TrainingSettings training = settings.training.copy();
    CommandSpec spec = CommandSpec.create();
    SettingsOptions options = new SettingsOptions(spec);
    addHead(options, head);
    addTraining(options, training);
    String[] words = text.trim().split("\\s+");
    String name = String.join(" ", words);
    for (int i = 0; i < words.length; i++) {
      words[i] = spec.findOption(DASHES + words[i]) == null ? words[i] : DASHES + words[i];
    }
    try {
      new CommandLine(spec).setCaseInsensitiveEnumValuesAllowed(true).parseArgs(words);
    } catch (ParameterException e) {
      throw new UserException(
          "--try needs options of heads and training with their values, got '%s': %s"
              .formatted(text, e.getMessage()),
          e);
    }
    options.assign();
    return new Candidate(name, head, training);
  }

  /** Refuses numbers that cannot be. */
  static void check(ExperimentSettings s) {
    require(s.size >= 0, "--size needs at least 1", s.size);
    require(
        s.validation >= 0 && s.validation < 1,
        "--validation needs a share from 0 to less than 1",
        s.validation);
    require(s.folds >= 2, "--folds needs at least 2", s.folds);
    require(
        s.tries.isEmpty() || s.cluster.master == null,
        "--try needs this machine alone, without --spark",
        s.cluster.master);
    s.candidates().forEach(candidate -> check(candidate.head(), candidate.training()));
    require(s.cluster.workers >= 0, "--spark-workers needs at least 1", s.cluster.workers);
    require(
        s.cluster.averageEvery >= 1, "--average-every needs at least 1", s.cluster.averageEvery);
  }

  private static void check(HeadSettings head, TrainingSettings training) {
    require(training.headEpochs >= 0, "--epochs-head needs at least 0", training.headEpochs);
    require(training.wholeEpochs >= 0, "--epochs-whole needs at least 0", training.wholeEpochs);
    require(
        training.headEpochs + training.wholeEpochs > 0
            || training.preset == TrainingSettings.Preset.RECOMMENDED,
        "--epochs-head and --epochs-whole need at least one epoch in all",
        0);
    require(training.batch >= 1, "--batch needs at least 1", training.batch);
    require(training.weightDecay >= 0, "--weight-decay needs at least 0", training.weightDecay);
    require(head.transform >= 0, "--transform needs at least 1", head.transform);
    require(head.sketch >= 1, "--sketch needs at least 1", head.sketch);
    require(head.components >= 1, "--components needs at least 1", head.components);
    require(head.dimensions >= 1, "--dimensions needs at least 1", head.dimensions);
    require(head.scale > 0, "--scale needs more than 0", head.scale);
    require(head.bandwidth > 0, "--bandwidth needs more than 0", head.bandwidth);
    require(head.powerFloor > 0, "--power-floor needs more than 0", head.powerFloor);
    training.headRates.values().forEach(x -> require(x >= 0, "--rate needs at least 0", x));
    training.wholeRates.values().forEach(x -> require(x >= 0, "--whole-rate needs at least 0", x));
  }

  private static void require(boolean holds, String expected, Object got) {
    if (!holds) {
      throw new UserException(expected + ", got " + got);
    }
  }
}
