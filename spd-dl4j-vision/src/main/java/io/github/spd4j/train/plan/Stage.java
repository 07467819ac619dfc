/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.plan;

/** The two stages of training. */
public enum Stage {
  /** The head learns on the features of the frozen backbone. */
  HEAD,
  /** Everything learns. */
  WHOLE
}
