/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.graft;

import io.github.spd4j.layers.BilinearPoolingLayer;
import io.github.spd4j.layers.VectorLayerBuilder;

/** An optional 1×1 convolution and a {@link BilinearPoolingLayer}. */
public final class BilinearHead extends VectorHead<BilinearHead> {

  private final BilinearPoolingLayer.Builder vector = new BilinearPoolingLayer.Builder();

  BilinearHead() {}

  @Override
  boolean wantsSmallSteps() {
    return true;
  }

  @Override
  VectorLayerBuilder<?> vector() {
    return vector;
  }
}
