/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.graft;

import io.github.spd4j.layers.BilinearPoolingLayer;

/** An optional 1×1 convolution and a {@link BilinearPoolingLayer}. */
public final class BilinearHead extends VectorHead<BilinearHead> {

  BilinearHead() {}

  @Override
  int grow(Stem stem, Part transforms) {
    stem.add(
        SpdGraft.VECTOR,
        normalised(new BilinearPoolingLayer.Builder())
            .name(SpdGraft.VECTOR)
            .nIn(stem.channels())
            .dataFormat(stem.format())
            .build());
    return Math.multiplyExact(stem.channels(), stem.channels());
  }
}
