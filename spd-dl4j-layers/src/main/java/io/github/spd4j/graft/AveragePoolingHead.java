/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.graft;

import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.deeplearning4j.nn.conf.layers.GlobalPoolingLayer;
import org.deeplearning4j.nn.conf.layers.PoolingType;

/** An optional 1×1 convolution and the mean of each feature map. */
public final class AveragePoolingHead extends ConvolutionalHead<AveragePoolingHead> {

  AveragePoolingHead() {}

  @Override
  int grow(Stem stem, Part transforms) {
    stem.add(SpdGraft.VECTOR, pooling(stem.format()));
    return stem.channels();
  }

  /** The mean of each feature map. */
  static GlobalPoolingLayer pooling(CNN2DFormat format) {
    boolean channelsLast = format == CNN2DFormat.NHWC;
    return new GlobalPoolingLayer.Builder(PoolingType.AVG)
        .poolingDimensions(channelsLast ? new int[] {1, 2} : new int[] {2, 3})
        .build();
  }
}
