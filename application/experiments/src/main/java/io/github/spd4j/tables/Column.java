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
import java.util.Objects;

/**
 * What the runs of one column have in common: the data set and what decides whether they can be
 * compared with each other.
 */
final class Column {

  private final RunResult example;

  Column(RunResult example) {
    this.example = example;
  }

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
          "Backbone: "
              + settings.get("backbone")
              + ", cut after "
              + settings.get("cut")
              + "; the paper: VGG-16, cut after conv5-3.");
    }
    PaperSets.subset(example.dataSet(), example.counts()).ifPresent(lines::add);
    if (!hasStageTwo()) {
      lines.add("Stages: only the head was trained; the paper goes on with the whole network.");
    }
    PaperSets.views(example.dataSet(), settings).ifPresent(lines::add);
    if (!settings.get("size").equals(PaperSets.SIZE)) {
      lines.add(
          "Images of " + settings.get("size") + " pixels; the paper: " + PaperSets.SIZE + ".");
    }
    if (example.dataSet() == DataSetKind.DTD_OFFICIAL) {
      lines.add("Partitions: the official ones; the paper: random thirds.");
    }
    if (!settings.get("plan").equals("PAPER")) {
      lines.add(
          "Plan: "
              + settings.get("plan").toLowerCase(Locale.ROOT)
              + " (classifier "
              + settings.get("classifier").toLowerCase(Locale.ROOT).replace('_', ' ')
              + ", steps by "
              + settings.get("optimizer").toLowerCase(Locale.ROOT)
              + "); the paper: everything learns by momentum, with 0.1, then 0.001.");
    }
    if (settings.containsKey("tries")) {
      lines.add(
          "Settings: as given, or one of ["
              + settings.get("tries")
              + "], by cross-validation on the training images of each partition.");
    }
    int held = example.counts().get("validation");
    lines.add(
        held == 0
            ? "Validation: none; the paper does not say."
            : "Validation: "
                + held
                + " images were taken from those to train on; the paper does not say.");
    return lines;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Column && key().equals(((Column) other).key());
  }

  @Override
  public int hashCode() {
    return Objects.hash(key());
  }
}
