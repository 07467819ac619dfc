/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.quickstart;

import io.github.spd4j.experiments.HeadSettings;
import io.github.spd4j.experiments.TrainingSettings;
import io.github.spd4j.train.plan.LayerGroup;

/** The sizes of a quickstart. */
public final class QuickstartSettings {

  /** The seed of everything random. */
  public long seed = 1;

  /** Training images of each class. */
  public int trainPerClass = 80;

  /** Validation images of each class. */
  public int validationPerClass = 30;

  /** Test images of each class. */
  public int testPerClass = 120;

  /** Rows and columns of an image. */
  public int imageSize = 48;

  /** Directions of the first filters; there are eight filters for each. */
  public int directions = 4;

  /** How the heads are made. */
  public final HeadSettings head = new HeadSettings();

  /** How the networks are trained. */
  public final TrainingSettings training = new TrainingSettings();

  /** The settings of the command. */
  public QuickstartSettings() {
    head.transform = 32;
    head.bandwidth = 0.5;
    training.preset = TrainingSettings.Preset.FITTED;
    training.headEpochs = 3;
    training.wholeEpochs = 1;
    training.wholeRates.put(LayerGroup.BACKBONE, 3e-4);
  }
}
