/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.examples.quickstart;

/** The sizes of a quickstart: starting points, not yet tuned. */
public final class QuickstartSettings {

  /** The source of all chance. */
  public long seed = 1;

  /** Training images of each class. */
  public int trainPerClass = 60;

  /** Validation images of each class. */
  public int validationPerClass = 15;

  /** Test images of each class. */
  public int testPerClass = 60;

  /** Rows and columns of an image. */
  public int imageSize = 40;

  /** Channels of the first convolution; the last has three times as many. */
  public int width = 16;

  /** C' of the SPD transform. */
  public int transform = 32;

  /** What bilinear and SPD vectors are multiplied by. */
  public double scale = 10;

  /** Images of a step. */
  public int batchSize = 32;

  /** Epochs of the backbone before any head is put on. */
  public int backboneEpochs = 8;

  /** Learning rate of the backbone before any head is put on. */
  public double backboneRate = 2e-3;

  /** The most epochs of stage one. */
  public int headEpochs = 25;

  /** The most epochs of stage two. */
  public int wholeEpochs = 4;

  /** The settings of the command. */
  public QuickstartSettings() {}
}
