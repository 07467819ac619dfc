/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.quickstart;

/** The sizes of a quickstart. */
public final class QuickstartSettings {

  /** The seed of everything random. */
  public long seed = 1;

  /** Training images of each class. */
  public int trainPerClass = 80;

  /** Validation images of each class. */
  public int validationPerClass = 30;

  /** Test images of each class. */
  public int testPerClass = 60;

  /** Rows and columns of an image. */
  public int imageSize = 48;

  /** Directions of the first filters; there are eight filters for each. */
  public int directions = 4;

  /** C' of the SPD transform. */
  public int transform = 32;

  /** σ as a multiple of the mean distance of the feature maps. */
  public double bandwidth = 0.5;

  /** What bilinear and SPD vectors are multiplied by. */
  public double scale = 10;

  /** The floor of the power normalisation of both. */
  public double powerFloor = 0.1;

  /** Images of a step. */
  public int batchSize = 32;

  /** The most epochs of stage one. */
  public int headEpochs = 3;

  /** The most epochs of stage two. */
  public int wholeEpochs = 1;

  /** The settings of the command. */
  public QuickstartSettings() {}
}
