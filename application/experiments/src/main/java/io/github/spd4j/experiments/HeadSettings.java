/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What can be set for the heads, beside the choice of a {@link Method}. */
public final class HeadSettings {

  /** What is stored only with the runs of the methods that ask for it. */
  static final List<String> OF_SOME_METHODS = List.of("transform", "exponent");

  /**
   * C' of the SPD transform, at most as many as there are maps; 0 for what the method usually has.
   */
  public int transform;

  /** What normalised vectors are multiplied by. */
  public double scale = 10;

  /** The bandwidth of the kernel as a multiple of the mean distance of the feature maps. */
  public double bandwidth = 1;

  /** Whether the backward pass goes through the bandwidth. */
  public boolean differentiateBandwidth;

  /** Whether what the bandwidth is multiplied by is learnt. */
  public boolean learnBandwidth;

  /** The kernel between feature maps. */
  public KernelChoice kernel = KernelChoice.RBF;

  /** The smallest value that the square root treats as non-zero: caps its slope. */
  public double powerFloor = 0.1;

  /** The power that {@link Method#MPN_COV} raises covariances to. */
  public double exponent = 0.5;

  /** The components of the mixture behind Fisher vectors. */
  public int components = 64;

  /** The principal components that the mixture models. */
  public int dimensions = 128;

  /** The length of the vector of compact bilinear pooling. */
  public int sketch = 8192;

  /** Whether 1×1 convolutions start at random even where they could start as the identity. */
  public boolean randomStart;

  /** The defaults. */
  public HeadSettings() {}

  /**
   * A copy.
   *
   * @return settings that can be changed on their own
   */
  public HeadSettings copy() {
    return Json.copy(this, HeadSettings.class);
  }

  /** By the names that runs are stored with. */
  Map<String, String> byName() {
    Map<String, String> all = new TreeMap<>(Json.texts(this));
    all.keySet().removeAll(OF_SOME_METHODS);
    return all;
  }
}
