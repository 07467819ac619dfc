/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;

import io.github.spd4j.datasets.ImageFile;
import io.github.spd4j.datasets.Partition;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.zip.CRC32;

/** All that the result of a run depends on, by name. */
record RunSettings(Run run) {

  /** The setting that stands for what lies in the images. */
  static final String CONTENTS = "contents";

  /** Whether classes are balanced; only there if they are. */
  static final String BALANCE = "balance";

  /** The run that this one goes on with. */
  private static final String CONTINUES = "continues";

  /** How convolutions round; only there if they do. */
  static final String PRECISION = "precision";

  /** Settings that runs have which were made with the option. */
  static final Set<String> OPTIONAL = Set.of(BALANCE, CONTINUES, PRECISION);

  /** What was asked for; known before anything is computed. */
  Map<String, String> asked() {
    Experiment experiment = run.experiment;
    ExperimentSettings settings = experiment.settings;
    Partition partition = run.partition;
    Map<String, String> all = new LinkedHashMap<>();
    all.put("dataSet", experiment.dataSet.name());
    all.put("partition", partition.name());
    all.put("method", run.method.key());
    all.put("seed", String.valueOf(run.seed));
    all.put("split", String.valueOf(run.split));
    all.put("validation", String.valueOf(settings.validation));
    all.put("classes", String.valueOf(partition.classes().size()));
    all.put("trainingImages", String.valueOf(partition.training().size()));
    all.put("validationImages", String.valueOf(partition.validation().size()));
    all.put("testImages", String.valueOf(partition.test().size()));
    all.put("trainingViews", experiment.trainingViews().name());
    all.put("testViews", experiment.testViews().name());
    all.put("size", String.valueOf(experiment.backbone.size()));
    all.put("images", digest(partition, ImageFile::name));
    all.put(CONTENTS, digest(partition, experiment.contents::of));
    all.put("backbone", experiment.backbone.title());
    all.put("backboneParameters", experiment.backboneFingerprint);
    all.put("cut", experiment.backbone.cut());
    all.put("pixels", experiment.backbone.pixels().toString());
    byName(settings.given()).forEach((name, value) -> all.put(asked(name), value));
    if (settings.earlier != null) {
      settings.earlier.requireSame(all);
      all.put(CONTINUES, settings.earlier.identity());
    }
    if (!settings.tries.isEmpty()) {
      all.put("tries", settings.tries.stream().map(Candidate::name).collect(joining("; ")));
      all.put("folds", String.valueOf(settings.folds));
    }
    if (settings.cluster.master != null) {
      all.put("averageEvery", String.valueOf(settings.cluster.averageEvery));
    }
    return all;
  }

  /** Stands for the names or contents of all images and what each is for. */
  private static String digest(Partition partition, Function<ImageFile, String> what) {
    CRC32 digest = new CRC32();
    for (List<ImageFile> part :
        List.of(partition.training(), partition.validation(), partition.test())) {
      part.forEach(image -> digest.update((what.apply(image) + "\n").getBytes(UTF_8)));
      digest.update('|');
    }
    return Long.toHexString(digest.getValue());
  }

  private static String asked(String name) {
    return name.startsWith("rates") ? prefixed("asked", name) : name;
  }

  private static String prefixed(String prefix, String name) {
    return prefix + Character.toUpperCase(name.charAt(0)) + name.substring(1);
  }

  private Map<String, String> byName(Candidate candidate) {
    Recipe recipe = run.recipe(candidate);
    Map<String, String> all = new LinkedHashMap<>(recipe.byName());
    all.putAll(candidate.training().byName(recipe.head(), run.seed));
    return all;
  }

  /** What was asked for, and what was taken in its place. */
  Map<String, String> all(Candidate taken) {
    Map<String, String> all = asked();
    if (!run.experiment.settings.tries.isEmpty()) {
      all.put("taken", taken.name());
    }
    byName(taken)
        .forEach(
            (name, value) -> {
              String given =
                  OPTIONAL.contains(name) ? all.get(name) : all.getOrDefault(name, value);
              boolean asGiven = value.equals(given);
              all.put(asGiven ? name : prefixed("taken", name), value);
            });
    return all;
  }
}
