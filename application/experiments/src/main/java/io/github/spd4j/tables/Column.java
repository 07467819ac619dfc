/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.tables;

import io.github.spd4j.datasets.DataSetKind;
import io.github.spd4j.experiments.RunResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What the runs of one column have in common: the data set and what decides whether they can be
 * compared with each other.
 */
record Column(RunResult example) {

  DataSetKind dataSet() {
    return example.dataSet();
  }

  private List<Object> key() {
    Map<String, String> settings = example.settings();
    return List.of(
        example.dataSet(),
        example.counts().get("classes"),
        example.counts().get("images"),
        settings.get("backbone"),
        settings.get("cut"),
        settings.get("size"),
        settings.get("trainingViews"),
        settings.get("testViews"),
        hasStageTwo());
  }

  private boolean hasStageTwo() {
    return !"0".equals(example.settings().get("epochsWhole"));
  }

  String title() {
    return example.dataSet().title() + ", " + example.settings().get("backbone");
  }

  /** What the paper did otherwise, a line each. */
  List<String> differences() {
    Map<String, String> settings = example.settings();
    List<String> lines = new ArrayList<>();
    if (!settings.get("backbone").equals("VGG-16")) {
      lines.add(
          "Backbone: %s, cut after %s; the paper: VGG-16, cut after conv5-3."
              .formatted(settings.get("backbone"), settings.get("cut")));
    }
    PaperSets.subset(example.dataSet(), example.counts()).ifPresent(lines::add);
    if (!hasStageTwo()) {
      lines.add("Stages: only the head was trained; the paper goes on with the whole network.");
    }
    PaperSets.views(example.dataSet(), settings).ifPresent(lines::add);
    if (!settings.get("size").equals(PaperSets.SIZE)) {
      lines.add(
          "Images of %s pixels; the paper: %s.".formatted(settings.get("size"), PaperSets.SIZE));
    }
    if (example.dataSet() == DataSetKind.DTD_OFFICIAL) {
      lines.add("Partitions: the official ones; the paper: random thirds.");
    }
    if (!settings.get("plan").equals("PAPER")) {
      lines.add(
          String.format(
              "Plan: %s (classifier %s, steps by %s); the paper: everything learns by momentum, with"
                  + " 0.1, then 0.001.",
              words(settings.get("plan")),
              words(settings.get("classifier")),
              words(settings.get("optimizer"))));
    }
    if (settings.containsKey("tries")) {
      lines.add(
          "Settings: as given, or one of [%s], by cross-validation on the training images of each"
                  .formatted(settings.get("tries"))
              + " partition.");
    }
    int held = example.counts().get("validation");
    String images = held == 0 ? "none" : held + " images were taken from those to train on";
    lines.add("Validation: " + images + "; the paper does not say.");
    return lines;
  }

  private static String words(String constant) {
    return constant.toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Column column && key().equals(column.key());
  }

  @Override
  public int hashCode() {
    return key().hashCode();
  }
}
