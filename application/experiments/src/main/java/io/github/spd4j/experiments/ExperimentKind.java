/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import io.github.spd4j.datasets.DataSetKind;
import io.github.spd4j.images.Views;
import java.util.EnumSet;
import java.util.Set;

/** The paper's two kinds of experiments, and what its protocol says about each. */
public enum ExperimentKind {
  /** Textures: trained on fifteen crops, tested on five. */
  TEXTURE(
      Views.FIFTEEN_CROPS,
      Views.FIVE_CROPS,
      EnumSet.of(
          DataSetKind.DTD,
          DataSetKind.DTD_OFFICIAL,
          DataSetKind.FMD,
          DataSetKind.KTH_TIPS_2B,
          DataSetKind.KTH_TIPS,
          DataSetKind.FOLDERS,
          DataSetKind.FOLDERS_NESTED)),

  /** Fine-grained classes: whole images, no augmentation. */
  FINE_GRAINED(
      Views.PLAIN,
      Views.PLAIN,
      EnumSet.of(
          DataSetKind.CUB, DataSetKind.AIRCRAFT, DataSetKind.FOLDERS, DataSetKind.FOLDERS_NESTED));

  private final Views trainingViews;
  private final Views testViews;
  private final Set<DataSetKind> dataSets;

  ExperimentKind(Views trainingViews, Views testViews, Set<DataSetKind> dataSets) {
    this.trainingViews = trainingViews;
    this.testViews = testViews;
    this.dataSets = dataSets;
  }

  /**
   * The protocol of a kind of data set. Class folders, which may be either, are fine-grained.
   *
   * @param kind the kind
   * @return the kind of experiment that it belongs to
   */
  public static ExperimentKind of(DataSetKind kind) {
    return FINE_GRAINED.dataSets.contains(kind) ? FINE_GRAINED : TEXTURE;
  }

  /**
   * What is seen of a training image.
   *
   * @return the paper's views
   */
  public Views trainingViews() {
    return trainingViews;
  }

  /**
   * What is seen of a test image.
   *
   * @return the paper's views
   */
  public Views testViews() {
    return testViews;
  }

  /** Whether the paper changes images in stage two. */
  boolean variants() {
    return this == TEXTURE;
  }

  /**
   * The data sets.
   *
   * @return their kinds
   */
  public Set<DataSetKind> dataSets() {
    return EnumSet.copyOf(dataSets);
  }
}
