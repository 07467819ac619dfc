/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.graft;

import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.inputs.InputType.InputTypeConvolutional;
import org.deeplearning4j.nn.conf.layers.GlobalPoolingLayer;
import org.deeplearning4j.nn.conf.layers.PoolingType;

/** An optional 1×1 convolution and the mean of each feature map. */
public final class AveragePoolingHead extends ConvolutionalHead<AveragePoolingHead> {

  AveragePoolingHead() {}

  @Override
  boolean wantsSmallSteps() {
    return true;
  }

  @Override
  void grow(Stem stem, PartSettings transforms) {
    stem.add(SpdGraft.VECTOR, pooling(stem.type()));
  }

  /** The mean of each feature map. */
  static GlobalPoolingLayer.Builder pooling(InputType maps) {
    boolean channelsLast = ((InputTypeConvolutional) maps).getFormat() == CNN2DFormat.NHWC;
    return new GlobalPoolingLayer.Builder(PoolingType.AVG)
        .poolingDimensions(channelsLast ? new int[] {1, 2} : new int[] {2, 3});
  }
}
