/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.graft;

import io.github.spd4j.layers.CompactBilinearLayer;
import io.github.spd4j.layers.VectorLayerBuilder;

/** An optional 1×1 convolution and a {@link CompactBilinearLayer}. */
public final class CompactBilinearHead extends VectorHead<CompactBilinearHead> {

  private final CompactBilinearLayer.Builder vector = new CompactBilinearLayer.Builder();

  CompactBilinearHead(int sketchSize) {
    if (sketchSize < 1) {
      throw new IllegalArgumentException("expected a sketch size of at least 1, got " + sketchSize);
    }
    vector.sketchSize(sketchSize);
  }

  /**
   * The seed of the projection, 0 unless set. It is independent of the network's seed.
   *
   * @param seed the seed
   * @return this head
   */
  public CompactBilinearHead sketchSeed(long seed) {
    vector.seed(seed);
    return this;
  }

  @Override
  VectorLayerBuilder<?> vector() {
    return vector;
  }
}
