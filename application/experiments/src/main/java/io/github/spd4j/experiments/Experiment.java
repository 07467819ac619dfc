/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.datasets.DataSetKind;
import io.github.spd4j.datasets.ImageCheck;
import io.github.spd4j.datasets.ImageContents;
import io.github.spd4j.datasets.ImageDataSet;
import io.github.spd4j.datasets.Partition;
import io.github.spd4j.datasets.Problem;
import io.github.spd4j.images.Views;
import io.github.spd4j.internal.engine.Fingerprint;
import io.github.spd4j.train.features.FeatureCache;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Methods on the partitions of a data set, with some seeds: the runs, and what they share, such as
 * a cache of features.
 */
public final class Experiment {

  static final String FEATURES = "features";

  final DataSetKind dataSet;
  final ExperimentKind kind;
  final ImageDataSet set;
  final List<String> skipped;
  final Backbone backbone;
  final String backboneFingerprint;
  final ExperimentSettings settings;
  final Platform platform;
  final FeatureCache cache;
  final ImageContents contents;
  final Function<String, Progress> progress;

  private final List<Run> runs;

  /**
   * An experiment.
   *
   * @param dataSet the kind of the data set
   * @param check its images
   * @param backbone the backbone
   * @param settings which runs
   * @param platform what they run on
   * @param progress gives for the name of a run where to show its progress
   * @throws UserException if a partition cannot be had
   */
  public Experiment(
      DataSetKind dataSet,
      ImageCheck check,
      Backbone backbone,
      ExperimentSettings settings,
      Platform platform,
      Function<String, Progress> progress) {
    this.dataSet = dataSet;
    this.kind = settings.kind(dataSet);
    this.set = check.sound();
    requireClasses();
    this.contents = ImageContents.of(set.images());
    this.skipped = check.skipped().stream().map(Problem::toString).toList();
    this.backbone = settings.size > 0 ? backbone.withSize(settings.size) : backbone;
    this.backboneFingerprint = Fingerprint.ofNetwork(backbone.net());
    this.settings = settings;
    this.platform = platform;
    FeatureCache usual = platform.cache(settings.out.resolve(FEATURES), settings.engine);
    Optional<PictureFeatures> pictures = settings.pictures();
    this.cache = pictures.map(usual::computedBy).orElse(usual);
    this.progress = progress;
    this.runs = allRuns();
  }

  List<Run> runs() {
    return runs;
  }

  /**
   * What makes the figures of the runs mean little.
   *
   * @return a line for each reason, without repeating any
   */
  public List<String> warnings() {
    return runs.stream()
        .flatMap(run -> new Warnings(run.partition, contents).lines().stream())
        .distinct()
        .toList();
  }

  /**
   * How long the runs that are yet to begin will take, measured on a few images with each method.
   * They share features.
   *
   * @return an estimate, or nothing if there is no such run
   */
  public Optional<TimeEstimate> timeEstimate() {
    int trainings = TimeEstimate.trainings(settings.candidates().size(), settings.folds);
    return runs.stream()
        .filter(run -> !run.hasBegun())
        .collect(Collectors.groupingBy(run -> run.method))
        .values()
        .stream()
        .map(same -> TimeEstimate.of(same.get(0)).times(same.size() * trainings))
        .reduce(TimeEstimate::and);
  }

  private void requireClasses() {
    if (set.classes().size() < 2) {
      throw new UserException(
          "%s: expected a folder for each of two or more classes, got the one class '%s'"
              .formatted(set.root(), set.classes().get(0)));
    }
  }

  /** All of them, so that mistakes are found before anything is written. */
  private List<Run> allRuns() {
    List<Run> all = new ArrayList<>();
    Set<List<Object>> known = new HashSet<>();
    for (long split : settings.splits) {
      for (Partition partition : partitions(split)) {
        if (!known.add(identity(partition, split))) {
          continue; // nothing is random about it: the same as of another split
        }
        for (long seed : settings.seeds) {
          settings.methods.forEach(
              method -> all.add(new Run(this, method, partition, split, seed)));
        }
      }
    }
    return all;
  }

  /** What tells a partition of one split from that of another. */
  private List<Object> identity(Partition partition, long split) {
    boolean random = trainingViews().isRandom() || testViews().isRandom();
    return List.of(
        partition.training(), partition.validation(), partition.test(), random ? split : 0L);
  }

  private List<Partition> partitions(long split) {
    Partition whole = new Partition("all", set.classes(), set.images(), List.of(), List.of());
    if (settings.all && settings.earlier == null) {
      return List.of(whole);
    }
    List<Partition> all = dataSet.partitions(set, split, settings.validation);
    if (settings.earlier != null) {
      Partition divided = settings.earlier.divide(set, contents, all.get(0), settings.validation);
      return List.of(settings.all ? whole : divided);
    }
    List<Partition> chosen = new ArrayList<>();
    for (int number : settings.partitions) {
      if (number < 1 || number > all.size()) {
        throw new UserException(
            "--partitions needs numbers from 1 to %d, got %d".formatted(all.size(), number));
      }
      chosen.add(all.get(number - 1));
    }
    List<Partition> used = chosen.isEmpty() ? all : chosen;
    used.forEach(this::requireImages);
    return used;
  }

  private void requireImages(Partition partition) {
    boolean validated = settings.validation == 0 || !partition.validation().isEmpty();
    if (partition.training().isEmpty() || !validated || partition.test().isEmpty()) {
      throw new UserException(
          String.format(
              "partition '%s' needs images of each kind, got %d for training, %d for validation"
                  + " (--validation), %d for test",
              partition.name(),
              partition.training().size(),
              partition.validation().size(),
              partition.test().size()));
    }
  }

  List<Partition> folds(Partition partition, long seed) {
    return dataSet.folds(partition, settings.folds, seed);
  }

  Views trainingViews() {
    return settings.trainingViews == null ? kind.trainingViews() : settings.trainingViews;
  }

  Views testViews() {
    return settings.testViews == null ? kind.testViews() : settings.testViews;
  }

  RunFolder folder(String run) {
    return new RunFolder(settings.place.apply(run));
  }
}
