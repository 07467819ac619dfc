/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import io.github.spd4j.datasets.DataSetKind;
import io.github.spd4j.datasets.ImageDataSet;
import io.github.spd4j.train.progress.TrainingProgress;
import java.nio.file.Path;
import java.util.List;

/** A small experiment on a tiny data set. */
public final class Fixtures {

  private Fixtures() {}

  /** The folder of a tiny data set. */
  public static Path dataSet(String name) {
    return Path.of(System.getProperty("spd4j.root"), "src-test-resources/datasets", name);
  }

  /** Options for runs of a second. */
  public static ExperimentOptions options(Path out, String... methods) {
    ExperimentOptions options = new ExperimentOptions();
    options.out = out;
    options.methods = List.of(methods);
    options.backbone = "random";
    options.training.headEpochs = 2;
    options.training.wholeEpochs = 1;
    options.training.batch = 4;
    options.validation = 0.4;
    return options;
  }

  /** Runs on the tiny set of folders. */
  public static List<RunResult> run(ExperimentOptions options) {
    return run(options, new TrainingProgress() {});
  }

  static List<RunResult> run(ExperimentOptions options, TrainingProgress progress) {
    ImageDataSet set = DataSetKind.FOLDERS.read(dataSet("foldered"));
    LoadedBackbone backbone = BackboneChoice.of(options.backbone).load("", null);
    return new Experiment(
            Task.FINE_GRAINED,
            DataSetKind.FOLDERS,
            set,
            List.of(),
            backbone,
            options,
            Machines.here(),
            run -> progress)
        .run();
  }
}
