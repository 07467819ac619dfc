/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import io.github.spd4j.layers.runtime.Saved;
import io.github.spd4j.linalg.Matrices;
import io.github.spd4j.linalg.VectorNormalization;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.shade.jackson.annotation.JsonIgnore;
import org.nd4j.shade.jackson.annotation.JsonProperty;

/**
 * Pools the C feature maps of an image into the vector of their products, as B-CNN does.
 *
 * <pre>
 * X = (1/P) F Fᵀ,  v = [X₁₁, X₁₂, …, X₁ₙ, X₂₁, …, Xₙₙ]
 * u = v / (φ + √(|v| + φ²))          signed square root: sign(v) (√(|v| + φ²) − φ)
 * z = u / ‖u‖                        l2 normalisation
 * output = scale · z
 * </pre>
 *
 * <p>F is the C×P matrix whose rows are the feature maps, P = H·W pixels each.
 *
 * <p>Shapes: [N, C, H, W] (or [N, H, W, C]) → [N, C²]. H and W may differ from batch to batch.
 *
 * <p>Paper: Lin, RoyChowdhury, Maji, <i>Bilinear CNN Models for Fine-grained Visual
 * Recognition</i>, ICCV 2015, section 3, with both streams the same network (B-CNN [D, D]); the
 * rival that the SPD aggregation is compared with. The mean over the pixels takes the place of
 * their sum, so that the {@linkplain VectorLayerBuilder#powerFloor floor} φ, which bounds the slope
 * of the square root by 1/(2φ), means the same for images of every size. Backward, with the
 * gradient G of X: {@code ∂L/∂F = (1/P) (G + Gᵀ) F}.
 *
 * <p>When not to use it: X knows only linear relations of the maps, and its rank is at most P. The
 * vector has every entry off the diagonal twice, and a classifier has C² weights for each class;
 * where that is too much, a {@link KernelAggregationLayer} with a {@link
 * io.github.spd4j.kernel.PolynomialKernel} of degree 1 and an {@link SpdVectorizationLayer} carry
 * the same information in half the length.
 */
public final class BilinearPoolingLayer extends FeatureMapLayer {

  private static final long serialVersionUID = 1L;

  @JsonProperty private VectorNormalization normalization;

  private BilinearPoolingLayer(Builder builder) {
    super(builder, builder.dataFormat);
    this.normalization = builder.normalization(this);
  }

  private BilinearPoolingLayer() {} // for Jackson

  /**
   * Whether the entries are replaced by their signed square roots.
   *
   * @return true unless switched off
   */
  @JsonIgnore
  public boolean isPowerNormalization() {
    return normalization.isPowerNormalization();
  }

  /**
   * The floor φ of the signed square root.
   *
   * @return φ
   */
  @JsonIgnore
  public double getPowerFloor() {
    return normalization.getPowerFloor();
  }

  /**
   * Whether the vector is divided by its norm.
   *
   * @return true unless switched off
   */
  @JsonIgnore
  public boolean isL2Normalization() {
    return normalization.isL2Normalization();
  }

  /**
   * What the vector is multiplied by in the end.
   *
   * @return the scale
   */
  @JsonIgnore
  public double getScale() {
    return normalization.getScale();
  }

  @Override
  public InputType getOutputType(int layerIndex, InputType inputType) {
    long channels = checkedMapsOf(inputType).getChannels();
    return InputType.feedForward(channels * channels);
  }

  @Override
  public SDVariable defineLayer(
      SameDiff sd, SDVariable input, Map<String, SDVariable> params, SDVariable mask) {
    SDVariable maps = rows(sd, input);
    SDVariable products = sd.mmul(maps.mul(1.0 / pixelsOf(input)), maps, false, true, false);
    long length = channelsOf(input) * channelsOf(input);
    return normalization.define(sd, sd.reshape(products, -1, length), length);
  }

  @Override
  public List<String> savedVariables() {
    return normalization.saved();
  }

  @Override
  public INDArray backward(Saved saved, INDArray gradient, Map<String, INDArray> paramGradients) {
    INDArray maps = rows(saved.input());
    long channels = maps.size(1);
    INDArray byProducts =
        normalization.backward(saved.values(), gradient).reshape(-1, channels, channels);
    INDArray twice = byProducts.add(Matrices.transpose(byProducts)).divi(maps.size(2));
    return fromRows(Matrices.product(twice, maps), saved.input());
  }

  @Override
  long savedElements(InputType inputType) {
    long channels = mapsOf(inputType).getChannels();
    return (1L + savedVariables().size()) * channels * channels;
  }

  @Override
  public boolean equals(Object o) {
    return super.equals(o) && normalization.equals(((BilinearPoolingLayer) o).normalization);
  }

  @Override
  public int hashCode() {
    return Objects.hash(super.hashCode(), normalization);
  }

  @Override
  public String toString() {
    return describe() + "(nIn=" + getNIn() + ", " + normalization + ")";
  }

  /** Builds a {@link BilinearPoolingLayer}. */
  @SuppressWarnings("unchecked") // Layer.Builder.build() is generic in what it returns
  public static final class Builder extends VectorLayerBuilder<Builder> {
    private CNN2DFormat dataFormat;

    /** A builder with the signed square root and the l2 normalisation on. */
    public Builder() {}

    /**
     * Where the channels of the input are. Inferred from the input type if there is one, otherwise
     * NCHW unless set.
     *
     * @param format NCHW or NHWC
     * @return this builder
     */
    public Builder dataFormat(CNN2DFormat format) {
      this.dataFormat = format;
      return this;
    }

    @Override
    public BilinearPoolingLayer build() {
      return checked(new BilinearPoolingLayer(this), this);
    }
  }
}
