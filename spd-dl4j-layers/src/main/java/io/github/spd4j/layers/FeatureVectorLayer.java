/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import io.github.spd4j.operators.vectors.VectorNormalization;
import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.nd4j.shade.jackson.annotation.JsonProperty;

/** A layer that makes a normalised vector for a classifier of the feature maps of each image. */
public abstract class FeatureVectorLayer extends FeatureMapLayer implements VectorLayer {

  private static final long serialVersionUID = 1L;

  @JsonProperty private VectorNormalization normalization;

  FeatureVectorLayer(Builder<?> builder) {
    super(builder, builder.dataFormat);
    this.normalization = builder.normalization(this);
  }

  FeatureVectorLayer() {} // for Jackson

  @Override
  public final VectorNormalization normalization() {
    return normalization;
  }

  /**
   * What the builders of these layers have in common.
   *
   * @param <T> the builder itself
   */
  @SuppressWarnings("unchecked") // T is the builder itself
  public abstract static class Builder<T extends Builder<T>> extends VectorLayerBuilder<T> {
    private CNN2DFormat dataFormat;

    Builder() {}

    Builder(boolean powerNormalization) {
      super(powerNormalization);
    }

    /**
     * Where the channels of the input are. Inferred from the input type if there is one, otherwise
     * NCHW unless set; if it is neither, input that could be read in both ways is refused.
     *
     * @param format NCHW or NHWC
     * @return this builder
     */
    public T dataFormat(CNN2DFormat format) {
      this.dataFormat = format;
      return (T) this;
    }
  }
}
