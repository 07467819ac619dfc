/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.internal.runtime.SpdRuntimeLayer;
import java.util.Map;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

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
 * <p>Shapes: [N, C, H, W] (or [N, H, W, C]) → [N, C²]. H and W may differ from batch to batch; a
 * mask [N, 1, H, W] says which pixels count.
 *
 * <p>Paper: Lin, RoyChowdhury, Maji, <i>Bilinear CNN Models for Fine-grained Visual
 * Recognition</i>, ICCV 2015, section 3, with both streams the same network (B-CNN [D, D]); the
 * rival that the SPD aggregation is compared with. The mean over the pixels takes the place of
 * their sum, so that the {@linkplain VectorLayer.Builder#powerFloor floor} φ, which bounds the
 * slope of the square root by 1/(2φ), means the same for images of every size. Backward, with the
 * gradient G of X: {@code ∂L/∂F = (1/P) (G + Gᵀ) F}.
 *
 * <p>When not to use it: X knows only linear relations of the maps, and its rank is at most P. The
 * vector has every entry off the diagonal twice, and a classifier has C² weights for each class;
 * where that is too much, a {@link CompactBilinearLayer} has a vector of any length, and a {@link
 * KernelAggregationLayer} with a {@link io.github.spd4j.kernel.PolynomialKernel} of degree 1 and an
 * {@link SpdVectorizationLayer} carry the same information in half the length.
 */
public final class BilinearPoolingLayer extends VectorLayer {

  private static final long serialVersionUID = 1L;

  private BilinearPoolingLayer(Builder builder) {
    super(builder);
  }

  private BilinearPoolingLayer() {} // for Jackson

  @Override
  LayerInput input() {
    return maps();
  }

  @Override
  LayerOutput output() {
    return LayerOutput.VECTOR;
  }

  @Override
  long outputSize(long channels) {
    return channels * channels;
  }

  @Override
  public SDVariable defineLayer(
      SameDiff sd, SDVariable input, Map<String, SDVariable> params, SDVariable mask) {
    long length = outputSize(maps().channelsOf(input));
    SDVariable products = ProductPooling.products(maps(), sd, input, mask);
    return normalization().define(sd, sd.reshape(products, -1, length), length);
  }

  @Override
  SpdRuntimeLayer runtime(NeuralNetConfiguration conf, DataType type, Backend backend) {
    return new ProductPooling(conf, type, backend, this) { // its name is in summaries
      private static final long serialVersionUID = 1L;

      @Override
      INDArray vectorsOf(INDArray products) {
        return products.reshape(products.size(0), -1);
      }

      @Override
      INDArray byProducts(INDArray byVectors, int channels) {
        return byVectors.reshape(-1, channels, channels);
      }
    };
  }

  @Override
  long savedElements(InputType inputType) {
    return ProductPooling.savedElements(this, inputType);
  }

  @Override
  public String toString() {
    return describe() + "(nIn=" + getNIn() + ", " + normalization() + ")";
  }

  /** Builds a {@link BilinearPoolingLayer}. */
  @SuppressWarnings("unchecked") // Layer.Builder.build() is generic in what it returns
  public static final class Builder extends VectorLayer.Builder<Builder>
      implements FeatureMapBuilder<Builder> {

    /** A builder with the signed square root and the l2 normalisation on. */
    public Builder() {}

    @Override
    public BilinearPoolingLayer build() {
      return checked(new BilinearPoolingLayer(this), this);
    }
  }
}
