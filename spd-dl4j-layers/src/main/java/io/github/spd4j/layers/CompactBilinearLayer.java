/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.internal.operators.sketch.TensorSketch;
import io.github.spd4j.internal.runtime.SpdRuntimeLayer;
import java.util.Map;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * Pools the products of all pairs of feature maps into a vector of any length d, by a random
 * projection that keeps inner products in the mean.
 *
 * <pre>
 * X = (1/P) F Fᵀ
 * v_k = Σ s₁(i) s₂(j) X_ij            over all i, j with h₁(i) + h₂(j) ≡ k (mod d)
 * u = v / (φ + √(|v| + φ²))          signed square root: sign(v) (√(|v| + φ²) − φ)
 * z = u / ‖u‖                        l2 normalisation
 * output = scale · z
 * </pre>
 *
 * <p>F is the C×P matrix whose rows are the feature maps, P = H·W pixels each. h and s are drawn by
 * the {@link Builder#seed seed}, which the network's JSON keeps, and are never trained.
 *
 * <p>Shapes: [N, C, H, W] (or [N, H, W, C]) → [N, d]. H and W may differ from batch to batch; a
 * mask [N, 1, H, W] says which pixels count.
 *
 * <p>Paper: Gao, Beijbom, Zhang, Darrell, <i>Compact Bilinear Pooling</i>, CVPR 2016, Algorithm 2
 * (Tensor Sketch), with the mean over the pixels in place of the sum, as in {@link
 * BilinearPoolingLayer}. The paper transforms every pixel by Fourier transforms; the same vector
 * comes from sketching X once, see {@link TensorSketch}. Backward, with the gradient g of v: {@code
 * G_ij = s₁(i) s₂(j) g_k}, then {@code ∂L/∂F = (1/P) (G + Gᵀ) F}.
 *
 * <p>When not to use it: for d near C² a {@link BilinearPoolingLayer} gives all products without
 * noise. The error of an inner product falls only with 1/√d; the paper finds d = 8192 enough for
 * 512 channels. The seed cannot be changed in a trained network.
 */
public final class CompactBilinearLayer extends VectorLayer {

  private static final long serialVersionUID = 1L;

  private int sketchSize;
  private long seed;

  private transient TensorSketch sketch; // made when it is needed

  private CompactBilinearLayer(Builder builder) {
    super(builder);
    this.sketchSize = builder.sketchSize;
    this.seed = builder.seed;
  }

  @Override
  void requireSound() {
    if (sketchSize < 1) {
      throw invalidConfig("sketchSize(d) of at least 1", "sketchSize = " + sketchSize);
    }
  }

  private CompactBilinearLayer() {} // for Jackson

  @Override
  LayerInput input() {
    return maps();
  }

  @Override
  LayerOutput output() {
    return LayerOutput.VECTOR;
  }

  /**
   * The length of the vector.
   *
   * @return d
   */
  public int getSketchSize() {
    return sketchSize;
  }

  /**
   * What the projection is drawn by.
   *
   * @return the seed
   */
  public long getSeed() {
    return seed;
  }

  @Override
  long outputSize(long channels) {
    return sketchSize;
  }

  private TensorSketch sketch(int channels) {
    TensorSketch known = sketch;
    if (known == null || known.size() != channels) {
      known = new TensorSketch(channels, sketchSize, seed);
      sketch = known;
    }
    return known;
  }

  @Override
  public SDVariable defineLayer(
      SameDiff sd, SDVariable input, Map<String, SDVariable> params, SDVariable mask) {
    SDVariable products = ProductPooling.products(maps(), sd, input, mask);
    SDVariable vectors = sketch(Math.toIntExact(maps().channelsOf(input))).define(sd, products);
    return normalization().define(sd, vectors, sketchSize);
  }

  /** Sketches by loops on the host, whatever the backend: they are the fastest there is. */
  @Override
  SpdRuntimeLayer runtime(NeuralNetConfiguration conf, DataType type, Backend backend) {
    return new ProductPooling(conf, type, backend, this) { // its name is in summaries
      private static final long serialVersionUID = 1L;

      @Override
      INDArray vectorsOf(INDArray products) {
        return sketch(Math.toIntExact(products.size(1))).apply(products);
      }

      @Override
      INDArray byProducts(INDArray byVectors, int channels) {
        return sketch(channels).adjoint(byVectors);
      }
    };
  }

  @Override
  long savedElements(InputType inputType) {
    return ProductPooling.savedElements(this, inputType);
  }

  @Override
  public String toString() {
    return String.format(
        "%s(nIn=%d, sketchSize=%d, seed=%d, %s)",
        describe(), getNIn(), sketchSize, seed, normalization());
  }

  /** Builds a {@link CompactBilinearLayer}. */
  @SuppressWarnings("unchecked") // Layer.Builder.build() is generic in what it returns
  public static final class Builder extends VectorLayer.Builder<Builder>
      implements FeatureMapBuilder<Builder> {
    private int sketchSize;
    private long seed;

    /** A builder with the signed square root and the l2 normalisation on. */
    public Builder() {}

    /**
     * The length of the vector; it must be set.
     *
     * @param d at least 1
     * @return this builder
     */
    public Builder sketchSize(int d) {
      this.sketchSize = d;
      return this;
    }

    /**
     * What the projection is drawn by; 0 unless set. It is independent of the network's seed.
     *
     * @param seed the seed
     * @return this builder
     */
    public Builder seed(long seed) {
      this.seed = seed;
      return this;
    }

    @Override
    public CompactBilinearLayer build() {
      return checked(new CompactBilinearLayer(this), this);
    }
  }
}
