/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.datasets.DataSetKind;
import io.github.spd4j.datasets.ImageCheck;
import io.github.spd4j.datasets.ImageDataSet;
import io.github.spd4j.internal.files.OwnFolder;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * An experiment for each of several data sets, by the protocol of its kind. All of them are checked
 * before anything is written or run.
 */
public final class ExperimentSeries {

  private final Map<DataSetKind, String> folders;
  private final ExperimentSettings settings;
  private final PrintWriter out;
  private final Function<String, Progress> progress;
  private final Map<String, String> failures = new LinkedHashMap<>();
  private final List<String> elsewhere = new ArrayList<>();
  private Consumer<Experiment> before = experiment -> {};

  /**
   * A series.
   *
   * @param folders where the data set of each kind lies
   * @param settings which runs
   * @param out where to say what was found
   * @param progress gives for the name of a run where to show its progress
   */
  public ExperimentSeries(
      Map<DataSetKind, String> folders,
      ExperimentSettings settings,
      PrintWriter out,
      Function<String, Progress> progress) {
    this.folders = new LinkedHashMap<>(folders);
    this.settings = settings;
    this.out = out;
    this.progress = progress;
  }

  /**
   * What to do before each experiment runs, when all are checked.
   *
   * @param action such as to say how long it will take
   * @return this series
   */
  public ExperimentSeries before(Consumer<Experiment> action) {
    this.before = action;
    return this;
  }

  /**
   * Checks everything, then runs what is not finished yet.
   *
   * @return the results of all runs that have one
   * @throws UserException if a data set, the backbone or the folder for the runs cannot be used
   */
  public List<RunResult> run() {
    BackboneChoice.of(settings.backbone); // a wrong name is found before anything is read
    OwnFolder.requireFree("--out", settings.out);
    try (Platform platform = settings.cluster.connect(settings.out)) {
      List<Experiment> experiments = experiments(platform);
      List<RunResult> results = new ArrayList<>();
      for (Experiment experiment : experiments) {
        before.accept(experiment);
        results.addAll(experiment.run());
        failures.putAll(experiment.failures());
        elsewhere.addAll(experiment.elsewhere());
      }
      return results;
    }
  }

  /**
   * The runs whose training gave up.
   *
   * @return the reason by name of the run
   */
  public Map<String, String> failures() {
    return Collections.unmodifiableMap(failures);
  }

  /**
   * The runs that other processes are still working on.
   *
   * @return their names
   */
  public List<String> elsewhere() {
    return Collections.unmodifiableList(elsewhere);
  }

  /** What is quickly checked comes first: a download or reading all images takes time. */
  private List<Experiment> experiments(Platform platform) {
    Map<DataSetKind, ImageDataSet> sets = new LinkedHashMap<>();
    folders.forEach((kind, folder) -> sets.put(kind, kind.read(platform.path(folder))));
    BackboneChoice choice = BackboneChoice.available(settings.backbone, out::println);
    settings.backbone = choice.name();
    sets.keySet().forEach(kind -> backbone(kind, choice));
    Map<DataSetKind, ImageCheck> checks = new LinkedHashMap<>();
    sets.forEach((kind, set) -> checks.put(kind, check(set, platform)));
    List<Experiment> experiments = new ArrayList<>();
    checks.forEach((kind, check) -> experiments.add(experiment(kind, check, choice, platform)));
    return experiments;
  }

  private ImageCheck check(ImageDataSet set, Platform platform) {
    out.printf(
        "%s: %d images of %d classes; reading each once%n",
        set.name(), set.images().size(), set.classes().size());
    out.flush();
    ImageCheck check = platform.check(set);
    check.skipped().forEach(problem -> out.println("Left out: " + problem));
    check.unread().ifPresent(others -> out.println("Not read: " + others));
    return check;
  }

  private Experiment experiment(
      DataSetKind kind, ImageCheck check, BackboneChoice choice, Platform platform) {
    try {
      return new Experiment(kind, check, backbone(kind, choice), settings, platform, progress);
    } catch (UserException e) {
      throw new UserException(kind.title() + ": " + e.getMessage(), e);
    }
  }

  private Backbone backbone(DataSetKind kind, BackboneChoice choice) {
    return choice.load(settings.kind(kind), settings.cut, settings.pixels);
  }
}
