/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import io.github.spd4j.backbones.Backbone;
import io.github.spd4j.datasets.DataSetKind;
import io.github.spd4j.datasets.ImageCheck;
import io.github.spd4j.internal.files.Seal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A small experiment on a tiny data set. */
public final class Fixtures {

  private Fixtures() {}

  /** The folder of a tiny data set. */
  public static Path dataSet(String name) {
    return Path.of(System.getProperty("spd4j.root"), "src-test-resources/datasets", name);
  }

  /** Settings for runs of a second. */
  public static ExperimentSettings settings(Path out, String... methods) {
    ExperimentSettings settings = new ExperimentSettings();
    settings.out = out;
    settings.methods = Stream.of(methods).map(key -> Method.find(key).orElseThrow()).toList();
    settings.backbone = "random";
    settings.training.headEpochs = 2;
    settings.training.wholeEpochs = 1;
    settings.training.batch = 4;
    settings.validation = 0.4;
    return settings;
  }

  /** Runs on the tiny set of folders. */
  public static List<RunResult> run(ExperimentSettings settings) {
    return run(settings, new Progress() {});
  }

  /** The same, watched. */
  public static List<RunResult> run(ExperimentSettings settings, Progress progress) {
    Platform platform = Platform.local();
    ImageCheck images = platform.check(DataSetKind.FOLDERS.read(dataSet("foldered")), done -> {});
    Backbone backbone =
        BackboneChoice.of(settings.backbone)
            .load(ExperimentKind.TEXTURE, settings.cut, settings.pixels);
    Experiment experiment =
        new Experiment(DataSetKind.FOLDERS, images, backbone, settings, platform, run -> progress);
    return new RunQueue(settings, List.of(experiment)).run();
  }

  /** Replaces words in a record of a run that belongs to none, and gives it a checksum. */
  public static void replace(Path file, String words, String others) throws IOException {
    String text = Files.readString(file);
    if (!text.contains(words)) {
      throw new AssertionError(file + " has no " + words);
    }
    String unsealed = text.replaceFirst(",\\s*\"sha256\" : \"\\p{XDigit}+\"", "");
    Files.writeString(file, Seal.on(unsealed.replace(words, others), ""));
  }

  /** The settings with another scale, to be tried. */
  public static Candidate scaled(ExperimentSettings settings, int scale) {
    HeadSettings head = settings.head.copy();
    head.scale = scale;
    return new Candidate("scale " + scale, head, settings.training.copy());
  }
}
