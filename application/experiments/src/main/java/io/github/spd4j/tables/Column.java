/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.tables;

import io.github.spd4j.datasets.DataSetKind;
import io.github.spd4j.experiments.Method;
import io.github.spd4j.experiments.RunResult;
import io.github.spd4j.reports.Printable;
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
    return example.run().dataSet();
  }

  private List<Object> key() {
    Map<String, String> settings = example.settings();
    return List.of(
        dataSetTitle(),
        example.images().classes(),
        example.images().all(),
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
    return dataSetTitle() + ", " + example.settings().get("backbone");
  }

  /** Folders of one's own pictures have names of their own. */
  private String dataSetTitle() {
    String title = dataSet().title();
    return isInPaper() ? title : title + " " + Printable.of(example.run().dataSetName());
  }

  /** Whether the paper has figures for the data set. */
  boolean isInPaper() {
    return Method.areInPaper(dataSet());
  }

  /** How the runs were made, as far as the paper did it otherwise, if it did it at all. */
  List<String> notes() {
    Map<String, String> settings = example.settings();
    List<String> lines = new ArrayList<>();
    if (!isInPaper() || !settings.get("backbone").equals("VGG-16")) {
      String used =
          "Backbone: %s, cut after %s".formatted(settings.get("backbone"), settings.get("cut"));
      lines.add(used + paper("VGG-16, cut after conv5-3"));
    }
    PaperSets.subset(dataSet(), example.images()).ifPresent(lines::add);
    if (!hasStageTwo()) {
      lines.add("Stages: only the head was trained" + paper("the whole network goes on learning"));
    }
    PaperSets.views(dataSet(), settings)
        .ifPresent(
            paper ->
                lines.add(
                    "Views for training and test: %s and %s"
                            .formatted(settings.get("trainingViews"), settings.get("testViews"))
                        + paper(paper)));
    if (!settings.get("size").equals(PaperSets.SIZE)) {
      lines.add("Images of " + settings.get("size") + " pixels" + paper(PaperSets.SIZE));
    }
    if (dataSet() == DataSetKind.DTD_OFFICIAL) {
      lines.add("Partitions: the official ones" + paper("random thirds"));
    }
    if (!settings.get("plan").equals("PAPER")) {
      String used =
          String.format(
              "Plan: %s (classifier %s, steps by %s)",
              words(settings.get("plan")),
              words(settings.get("classifier")),
              words(settings.get("optimizer")));
      lines.add(used + paper("everything learns by momentum, with 0.1, then 0.001"));
    }
    if (settings.containsKey("tries")) {
      lines.add(
          "Settings: as given, or one of [%s], by cross-validation on the training images of each"
                  .formatted(settings.get("tries"))
              + " partition.");
    }
    int held = example.images().validation();
    String images = held == 0 ? "none" : held + " images were taken from those to train on";
    lines.add("Validation: " + images + (isInPaper() ? "; the paper does not say." : "."));
    return lines;
  }

  /** The end of a line: what the paper has instead, where there is something to compare. */
  private String paper(String instead) {
    return isInPaper() ? "; the paper: " + instead + "." : ".";
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
