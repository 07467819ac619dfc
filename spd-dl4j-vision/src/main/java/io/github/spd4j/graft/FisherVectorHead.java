/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.graft;

import io.github.spd4j.layers.FisherVectorLayer;
import io.github.spd4j.layers.VectorLayerBuilder;

/** An optional 1×1 convolution and a {@link FisherVectorLayer}, to be fitted before it is used. */
public final class FisherVectorHead extends VectorHead<FisherVectorHead> {

  private final FisherVectorLayer.Builder vector = new FisherVectorLayer.Builder();

  FisherVectorHead() {}

  /**
   * The number of components of the mixture; {@value FisherVectorLayer#DEFAULT_COMPONENTS} unless
   * set.
   *
   * @param number at least 1
   * @return this head
   */
  public FisherVectorHead components(int number) {
    vector.components(number);
    return this;
  }

  /**
   * The number of principal components that are kept; unless set, as many as there are feature
   * maps.
   *
   * @param number at most the number of feature maps
   * @return this head
   */
  public FisherVectorHead dimensions(int number) {
    vector.dimensions(number);
    return this;
  }

  /**
   * Joins the Fisher vector with the backbone's fully connected features, as in FV-FC-CNN.
   *
   * @return a head whose vector is both, each of length 1 (times the {@link #scale})
   */
  public JoinedHead withFullyConnected() {
    return new JoinedHead(this);
  }

  @Override
  VectorLayerBuilder<?> vector() {
    return vector;
  }
}
