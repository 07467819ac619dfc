/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import io.github.spd4j.layers.runtime.Saved;
import io.github.spd4j.linalg.Matrices;
import io.github.spd4j.operators.vectors.VectorNormalization;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.shade.jackson.annotation.JsonIgnore;
import org.nd4j.shade.jackson.annotation.JsonProperty;

/**
 * A layer that pools the products of all pairs of feature maps, {@code X = (1/P) F Fᵀ}, into a
 * normalised vector that is linear in them.
 */
public abstract class ProductPoolingLayer extends FeatureMapLayer {

  private static final long serialVersionUID = 1L;

  @JsonProperty private VectorNormalization normalization;

  ProductPoolingLayer(Builder<?> builder) {
    super(builder, builder.dataFormat);
    this.normalization = builder.normalization(this);
  }

  ProductPoolingLayer() {} // for Jackson

  /**
   * Whether the entries are replaced by their signed square roots.
   *
   * @return true unless switched off
   */
  @JsonIgnore
  public final boolean isPowerNormalization() {
    return normalization.isPowerNormalization();
  }

  /**
   * The floor φ of the signed square root.
   *
   * @return φ
   */
  @JsonIgnore
  public final double getPowerFloor() {
    return normalization.getPowerFloor();
  }

  /**
   * Whether the vector is divided by its norm.
   *
   * @return true unless switched off
   */
  @JsonIgnore
  public final boolean isL2Normalization() {
    return normalization.isL2Normalization();
  }

  /**
   * What the vector is multiplied by in the end.
   *
   * @return the scale
   */
  @JsonIgnore
  public final double getScale() {
    return normalization.getScale();
  }

  final VectorNormalization normalization() {
    return normalization;
  }

  /** The length of the vector for so many channels. */
  abstract long length(long channels);

  /** The gradient with respect to X [N, C, C], given that with respect to the raw vector. */
  abstract INDArray byProducts(INDArray byVectors, int channels);

  @Override
  public final InputType getOutputType(int layerIndex, InputType inputType) {
    return InputType.feedForward(length(checkedMapsOf(inputType).getChannels()));
  }

  @Override
  public final List<String> savedVariables() {
    return normalization.saved();
  }

  @Override
  public final INDArray backward(
      Saved saved, INDArray gradient, Map<String, INDArray> paramGradients) {
    INDArray maps = rows(saved.input());
    INDArray byVectors = normalization.backward(saved.values(), gradient);
    INDArray byProducts = byProducts(byVectors, Math.toIntExact(maps.size(1)));
    INDArray twice = byProducts.add(Matrices.transpose(byProducts)).divi(maps.size(2));
    return fromRows(Matrices.product(twice, maps), saved.input());
  }

  @Override
  final long savedElements(InputType inputType) {
    long channels = mapsOf(inputType).getChannels();
    return channels * channels + savedVariables().size() * length(channels);
  }

  @Override
  public boolean equals(Object o) {
    return super.equals(o) && normalization.equals(((ProductPoolingLayer) o).normalization);
  }

  @Override
  public int hashCode() {
    return Objects.hash(super.hashCode(), normalization);
  }

  /** The layer with what is its own. */
  final String describe(String own) {
    return describe() + "(nIn=" + getNIn() + own + ", " + normalization + ")";
  }

  /**
   * What the builders have in common.
   *
   * @param <T> the builder itself
   */
  public abstract static class Builder<T extends Builder<T>> extends VectorLayerBuilder<T> {
    private CNN2DFormat dataFormat;

    Builder() {}

    /**
     * Where the channels of the input are. Inferred from the input type if there is one, otherwise
     * NCHW unless set.
     *
     * @param format NCHW or NHWC
     * @return this builder
     */
    @SuppressWarnings("unchecked")
    public T dataFormat(CNN2DFormat format) {
      this.dataFormat = format;
      return (T) this;
    }
  }
}
