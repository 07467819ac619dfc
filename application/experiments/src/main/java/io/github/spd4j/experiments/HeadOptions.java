/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine.Option;

/** What can be set for the heads, beside the choice of a {@link Method}. */
public final class HeadOptions implements Cloneable {

  /**
   * C' of the SPD transform, at most as many as there are maps; 0 for what the method usually has.
   */
  @Option(
      names = "--transform",
      paramLabel = "N",
      description = "C' of the methods spd (all maps unless set) and spd-root (half).")
  public int transform;

  /** What normalised vectors are multiplied by. */
  @Option(
      names = "--scale",
      paramLabel = "X",
      description = "What the normalised vectors are multiplied by.")
  public double scale = 10;

  /** The bandwidth of the kernel as a multiple of the mean distance of the feature maps. */
  @Option(
      names = "--bandwidth",
      paramLabel = "X",
      description = "σ of the kernel, as a multiple of the mean distance of the maps.")
  public double bandwidth = 1;

  /** Whether the backward pass goes through the bandwidth. */
  @Option(names = "--differentiate-bandwidth", description = "Let the backward pass go through σ.")
  public boolean differentiateBandwidth;

  /** Whether what the bandwidth is multiplied by is learnt. */
  @Option(
      names = "--learn-bandwidth",
      description = "Learn what σ is multiplied by, from --bandwidth on.")
  public boolean learnBandwidth;

  /** The kernel between feature maps. */
  @Option(
      names = "--kernel",
      paramLabel = "KERNEL",
      description = "The kernel between feature maps: ${COMPLETION-CANDIDATES}.")
  public KernelChoice kernel = KernelChoice.RBF;

  /** The floor of the power normalisation. */
  @Option(
      names = "--power-floor",
      paramLabel = "X",
      description = "Where the slope of the power normalisation ends to grow.")
  public double powerFloor = 0.1;

  /** The components of the mixture behind Fisher vectors. */
  @Option(
      names = "--components",
      paramLabel = "N",
      description = "The components of the mixture behind Fisher vectors.")
  public int components = 64;

  /** The principal components that the mixture models. */
  @Option(
      names = "--dimensions",
      paramLabel = "N",
      description = "The principal components that the mixture models.")
  public int dimensions = 128;

  /** The length of the vector of compact bilinear pooling. */
  @Option(
      names = "--sketch",
      paramLabel = "N",
      description = "The length of the vector of compact bilinear pooling.")
  public int sketch = 8192;

  /** Whether 1×1 convolutions start at random even where they could start as the identity. */
  @Option(
      names = "--random-start",
      description = {
        "Start 1x1 convolutions at random; otherwise those with",
        "as many channels as there are maps start as the identity."
      })
  public boolean randomStart;

  /** The head's options as they come, for picocli and for tests. */
  public HeadOptions() {}

  HeadOptions copy() {
    try {
      return (HeadOptions) clone();
    } catch (CloneNotSupportedException e) {
      throw new AssertionError(e);
    }
  }

  /** All options by name. */
  Map<String, String> settings() {
    Map<String, String> all = new TreeMap<>();
    all.put("scale", String.valueOf(scale));
    all.put("bandwidth", String.valueOf(bandwidth));
    all.put("differentiateBandwidth", String.valueOf(differentiateBandwidth));
    all.put("learnBandwidth", String.valueOf(learnBandwidth));
    all.put("kernel", kernel.name());
    all.put("powerFloor", String.valueOf(powerFloor));
    all.put("randomStart", String.valueOf(randomStart));
    all.put("components", String.valueOf(components));
    all.put("dimensions", String.valueOf(dimensions));
    all.put("sketch", String.valueOf(sketch));
    return all;
  }
}
