/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.graft;

import io.github.spd4j.layers.TextureEncodingLayer;
import io.github.spd4j.layers.VectorLayerBuilder;

/**
 * The head of Deep-TEN: an optional 1×1 convolution, an optional batch normalisation and ReLU, and
 * a {@link TextureEncodingLayer}.
 *
 * <p>The paper reduces ResNet50's last feature maps, the zoo's {@code res5c_branch}, to 128 with
 * both, and encodes them by 32 codewords.
 */
public final class TextureEncodingHead extends VectorHead<TextureEncodingHead> {

  private final TextureEncodingLayer.Builder vector = new TextureEncodingLayer.Builder();
  private boolean batchNormalization;

  TextureEncodingHead() {}

  /**
   * The number of codewords; {@value TextureEncodingLayer#DEFAULT_WORDS} unless set.
   *
   * @param number at least 1
   * @return this head
   */
  public TextureEncodingHead words(int number) {
    vector.words(number);
    return this;
  }

  /**
   * Normalises each feature map over the batch before the ReLU and the encoding.
   *
   * @return this head
   */
  public TextureEncodingHead batchNormalization() {
    this.batchNormalization = true;
    return this;
  }

  @Override
  boolean normalisesBatches() {
    return batchNormalization;
  }

  @Override
  VectorLayerBuilder<?> vector() {
    return vector;
  }
}
