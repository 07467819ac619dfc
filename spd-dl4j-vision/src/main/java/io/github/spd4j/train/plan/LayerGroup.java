/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.plan;

/** The groups of layers that have learning rates of their own. */
public enum LayerGroup {
  /** The output layer. */
  CLASSIFIER,
  /** Layers after the cut whose W is on the Stiefel manifold. */
  TRANSFORM,
  /** Convolutions after the cut. */
  CONVOLUTION,
  /** Every other layer after the cut. */
  REST,
  /** The layers up to the cut. */
  BACKBONE
}
