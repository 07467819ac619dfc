/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.graft;

import io.github.spd4j.layers.CompactBilinearLayer;

/** An optional 1×1 convolution and a {@link CompactBilinearLayer}. */
public final class CompactBilinearHead extends VectorHead<CompactBilinearHead> {

  private final int sketchSize;
  private long seed;

  CompactBilinearHead(int sketchSize) {
    if (sketchSize < 1) {
      throw new IllegalArgumentException("expected a sketch size of at least 1, got " + sketchSize);
    }
    this.sketchSize = sketchSize;
  }

  /**
   * What the projection is drawn by; 0 unless set. It is independent of the network's seed.
   *
   * @param seed the seed
   * @return this head
   */
  public CompactBilinearHead sketchSeed(long seed) {
    this.seed = seed;
    return this;
  }

  @Override
  int grow(Stem stem, Part transforms) {
    stem.add(
        SpdGraft.VECTOR,
        normalised(new CompactBilinearLayer.Builder())
            .name(SpdGraft.VECTOR)
            .nIn(stem.channels())
            .dataFormat(stem.format())
            .sketchSize(sketchSize)
            .seed(seed)
            .build());
    return sketchSize;
  }
}
