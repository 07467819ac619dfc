/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.textures;

/** What the images of a data set are for. */
public enum Split {

  /** To fit the weights. */
  TRAIN,

  /** To choose among models, and when to stop. */
  VALIDATION,

  /** To say, at the end, how good the model is. */
  TEST
}
