/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.tables;

import io.github.spd4j.datasets.DataSetKind;
import io.github.spd4j.experiments.ExperimentKind;
import io.github.spd4j.experiments.RunResult;
import java.util.Map;
import java.util.Optional;

/** The data sets as the paper's section on its experiments describes them. */
final class PaperSets {

  /** Height and width of the images. */
  static final String SIZE = "224";

  private PaperSets() {}

  /** Classes and images, or nothing if the paper does not use the set. */
  private static int[] sizes(DataSetKind kind) {
    return switch (kind) {
      case DTD, DTD_OFFICIAL -> new int[] {47, 5640};
      case FMD -> new int[] {10, 1000};
      case KTH_TIPS_2B -> new int[] {11, 4752};
      case CUB -> new int[] {200, 11788};
      case AIRCRAFT -> new int[] {100, 10000};
      case KTH_TIPS, FOLDERS, FOLDERS_NESTED -> new int[] {};
    };
  }

  /** Says so if a part of the data set was used, or another data set. */
  static Optional<String> subset(DataSetKind kind, RunResult.Images used) {
    int[] paper = sizes(kind);
    int classes = used.classes();
    int images = used.all();
    if (paper.length == 0) {
      return Optional.of(String.format("Data: %d classes, %d images.", classes, images));
    }
    return classes == paper[0] && images == paper[1]
        ? Optional.empty()
        : Optional.of(
            String.format(
                "Data: %d of %d classes, %d of %d images.", classes, paper[0], images, paper[1]));
  }

  /** The paper's views for training and test, if others were used. */
  static Optional<String> views(DataSetKind kind, Map<String, String> settings) {
    ExperimentKind paper = ExperimentKind.of(kind);
    String views = paper.trainingViews() + " and " + paper.testViews();
    String used = settings.get("trainingViews") + " and " + settings.get("testViews");
    return used.equals(views) ? Optional.empty() : Optional.of(views);
  }
}
