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
import io.github.spd4j.models.Engine;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Reads and checks data sets, and loads the backbone: everything that can be refused is refused
 * before anything is written or run.
 */
public final class Preparation {

  private final ExperimentSettings settings;
  private final Platform platform;
  private final Consumer<String> out;
  private final Function<String, Progress> progress;

  /**
   * The preparation of experiments.
   *
   * @param settings which runs
   * @param platform what they run on
   * @param out is told what was found, a line at a time
   * @param progress gives for the name of a run where to show its progress
   */
  public Preparation(
      ExperimentSettings settings,
      Platform platform,
      Consumer<String> out,
      Function<String, Progress> progress) {
    this.settings = settings;
    this.platform = platform;
    this.out = out;
    this.progress = progress;
  }

  /**
   * What the runs run on, after a check of the settings that takes no time.
   *
   * @param settings which runs
   * @return to be closed after the runs
   * @throws UserException if the backbone's name is wrong, or the folder is somebody else's
   */
  public static Platform platform(ExperimentSettings settings) {
    requireFitting(BackboneChoice.of(settings.backbone), settings);
    if (settings.pictures().isPresent() && settings.engine == Engine.ONNXRUNTIME) {
      throw new UserException(
          "--engine onnxruntime does not go with %s, whose features DL4J computes: leave one of them out"
              .formatted(settings.keepFeatures ? "--keep-features" : "--continue"));
    }
    OwnFolder.requireFree("--out", settings.out);
    return settings.cluster.connect(settings.out);
  }

  private static void requireFitting(BackboneChoice backbone, ExperimentSettings settings) {
    if (!backbone.isForwardOnly()) {
      return;
    }
    for (Candidate candidate : settings.candidates()) {
      if (candidate.training().wholeEpochs > 0) {
        throw new UserException(
            "--epochs-whole needs 0 with --backbone %s, which has no backward pass; got %d"
                .formatted(backbone.name(), candidate.training().wholeEpochs));
      }
    }
    if (settings.cluster.master != null) {
      throw new UserException(
          "--spark needs a backbone that DL4J computes, got --backbone " + backbone.name());
    }
  }

  /**
   * An experiment for each of several data sets. What is quickly checked comes first: a download or
   * reading all images takes time.
   *
   * @param folders where the data set of each kind lies
   * @return the experiments, of which nothing has run yet
   * @throws UserException if a data set or the backbone cannot be used
   */
  public List<Experiment> experiments(Map<DataSetKind, String> folders) {
    Map<DataSetKind, ImageDataSet> sets = new LinkedHashMap<>();
    folders.forEach((kind, folder) -> sets.put(kind, kind.read(platform.path(folder))));
    BackboneChoice choice = BackboneChoice.available(settings.backbone);
    choice.notice().ifPresent(line -> out.accept("Note: " + line + "."));
    settings.backbone = choice.name();
    settings.substitute = choice.notice().orElse(null);
    sets.keySet().forEach(kind -> backbone(kind, choice));
    Map<DataSetKind, ImageCheck> checks = new LinkedHashMap<>();
    sets.forEach((kind, set) -> checks.put(kind, check(set)));
    if (settings.substitute != null) {
      checks.forEach((kind, found) -> ScatteringCheck.of(found.sound()).require());
    }
    return checks.entrySet().stream()
        .map(check -> experiment(check.getKey(), check.getValue(), choice))
        .toList();
  }

  private ImageCheck check(ImageDataSet set) {
    int images = set.images().size();
    out.accept(
        "%s: %d images of %d classes; reading each once"
            .formatted(set.name(), images, set.classes().size()));
    Pace pace = new Pace("images");
    ImageCheck check =
        platform.check(
            set, done -> pace.step(done, images).ifPresent(far -> out.accept("read: " + far)));
    check.skipped().forEach(problem -> out.accept("Left out: " + problem));
    check.unread().ifPresent(others -> out.accept("Not read: " + others));
    return check;
  }

  private Experiment experiment(DataSetKind kind, ImageCheck check, BackboneChoice choice) {
    try {
      return new Experiment(kind, check, backbone(kind, choice), settings, platform, progress);
    } catch (UserException e) {
      throw new UserException(kind.title() + ": " + e.getMessage(), e);
    }
  }

  private Backbone backbone(DataSetKind kind, BackboneChoice choice) {
    Backbone backbone = choice.load(settings.kind(kind), settings.cut, settings.pixels);
    try {
      return settings.size > 0 ? backbone.withSize(settings.size) : backbone;
    } catch (IllegalArgumentException e) {
      throw new UserException("--size: " + e.getMessage(), e);
    }
  }
}
