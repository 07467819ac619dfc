/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import io.github.spd4j.linalg.Matrices;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * A layer that pools the products of all pairs of feature maps, {@code X = (1/P) F Fᵀ}, into a
 * normalised vector that is linear in them.
 */
public abstract class ProductPoolingLayer extends FeatureVectorLayer {

  private static final long serialVersionUID = 1L;

  ProductPoolingLayer(Builder<?> builder) {
    super(builder);
  }

  ProductPoolingLayer() {} // for Jackson

  /** The gradient with respect to the input, from that with respect to X [N, C, C]. */
  final INDArray byInput(INDArray byProducts, INDArray input) {
    INDArray maps = rows(input);
    INDArray byMaps = Matrices.product(Matrices.symmetricPart(byProducts), maps);
    return fromRows(byMaps.muli(2.0 / maps.size(2)), input);
  }

  @Override
  final long savedElements(InputType inputType) {
    long channels = mapsOf(inputType).getChannels();
    return channels * channels + normalization().saved().size() * outputSize(channels);
  }

  /** The layer with what is its own. */
  final String describe(String own) {
    return describe() + "(nIn=" + getNIn() + own + ", " + normalization() + ")";
  }
}
