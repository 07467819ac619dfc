/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import org.deeplearning4j.nn.conf.CNN2DFormat;

/**
 * What the builders of layers whose input is feature maps have in common.
 *
 * @param <T> the builder itself
 */
public interface FeatureMapBuilder<T extends SpdLayer.Builder<T>> {

  /**
   * Where the channels of the input are. Inferred from the input type if there is one, otherwise
   * NCHW unless set; if it is neither, input that could be read in both ways is refused.
   *
   * @param format NCHW or NHWC
   * @return this builder
   */
  @SuppressWarnings("unchecked") // T is the builder itself
  default T dataFormat(CNN2DFormat format) {
    T builder = (T) this;
    ((SpdLayer.Builder<?>) builder).dataFormat = format;
    return builder;
  }
}
