/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.graft;

import io.github.spd4j.layers.CompactBilinearLayer;
import io.github.spd4j.layers.VectorLayerBuilder;
import org.apache.commons.lang3.Validate;

/** An optional 1×1 convolution and a {@link CompactBilinearLayer}. */
public final class CompactBilinearHead extends VectorHead<CompactBilinearHead> {

  private final CompactBilinearLayer.Builder vector = new CompactBilinearLayer.Builder();

  CompactBilinearHead(int sketchSize) {
    Validate.isTrue(sketchSize >= 1, "expected a sketch size of at least 1, got %s", sketchSize);
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
  boolean wantsSmallSteps() {
    return true;
  }

  @Override
  VectorLayerBuilder<?> vector() {
    return vector;
  }
}
