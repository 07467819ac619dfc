/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import io.github.spd4j.internal.backend.Algebra;
import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.internal.backend.ForwardPass;
import io.github.spd4j.internal.operators.encodings.ResidualEncoding;
import io.github.spd4j.internal.runtime.DefinedRuntimeLayer;
import io.github.spd4j.internal.runtime.SpdRuntimeLayer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.inputs.InputType.InputTypeConvolutional;
import org.deeplearning4j.nn.conf.layers.samediff.SDLayerParams;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.regularization.Regularization;

/**
 * Encodes the local descriptors of an image by their residuals from codewords that are learnt, as
 * Deep-TEN does.
 *
 * <pre>
 * r_ik = x_i − c_k                               residuals
 * a_ik = softmax_k(−s_k ‖r_ik‖²)                 soft assignment
 * e_k  = Σ_i a_ik r_ik,  v = [e_1, …, e_K]
 * output = scale · v / ‖v‖
 * </pre>
 *
 * <p>x_i is what all C feature maps show at position i of H·W; c_k are the codewords, s_k their
 * smoothing factors.
 *
 * <p>Shapes: [N, C, H, W] (or [N, H, W, C]) → [N, K·C]; the parameters are {@link #CODEWORDS} [K,
 * C] and {@link #SMOOTHING} [1, K]. H and W may differ from batch to batch; a mask [N, 1, H, W]
 * says which pixels count.
 *
 * <p>Paper: Zhang, Xue, Dana, <i>Deep TEN: Texture Encoding Network</i>, CVPR 2017, Eq. 1 to 3. As
 * in the authors' code, codewords start uniformly in ±1/√(KC), and s uniformly in (0, 1): their
 * code stores −s, in (−1, 0). Both are ordinary parameters: they are trained by the network's
 * updater, its L1, L2 and weight decay reach the codewords, and those for biases reach s. Nothing
 * keeps s positive; a codeword whose s has become negative attracts what is far from it.
 *
 * <p>When not to use it: on descriptors of a size far from the codewords'. The assignment is then
 * hard from the start and learns slowly, so reduce and normalise the feature maps before, as the
 * paper does (1×1 convolution to 128 maps, batch normalisation).
 */
public final class TextureEncodingLayer extends VectorLayer {

  private static final long serialVersionUID = 1L;

  /** The number of codewords unless set. */
  public static final int DEFAULT_WORDS = 32;

  /** The name of the parameter c. */
  public static final String CODEWORDS = "codewords";

  /** The name of the parameter s. */
  public static final String SMOOTHING = "smoothing";

  private int words;

  private TextureEncodingLayer(Builder builder) {
    super(builder);
    this.words = builder.words;
  }

  @Override
  void requireSound() {
    if (words < 1) {
      throw invalidConfig("at least 1 codeword", "words = " + words);
    }
  }

  private TextureEncodingLayer() {} // for Jackson

  @Override
  LayerInput input() {
    return maps();
  }

  @Override
  LayerOutput output() {
    return LayerOutput.VECTOR;
  }

  /**
   * K.
   *
   * @return the number of codewords
   */
  public int getWords() {
    return words;
  }

  @Override
  long outputSize(long size) {
    return words * size;
  }

  @Override
  public void defineParameters(SDLayerParams params) {
    params.addWeightParam(CODEWORDS, words, getNIn());
    params.addBiasParam(SMOOTHING, 1, words);
  }

  @Override
  public void initializeParameters(Map<String, INDArray> params) {
    INDArray codewords = params.get(CODEWORDS);
    double bound = 1 / Math.sqrt(codewords.length());
    codewords.assign(
        Nd4j.rand(codewords.dataType(), codewords.shape()).muli(2).subi(1).muli(bound));
    INDArray smoothing = params.get(SMOOTHING);
    smoothing.assign(Nd4j.rand(smoothing.dataType(), smoothing.shape()));
  }

  @Override
  public List<Regularization> getRegularizationByParam(String paramName) {
    return paramName.equals(CODEWORDS) ? regularization : regularizationBias;
  }

  @Override
  void validateParams(Map<String, INDArray> params) {
    params.forEach((name, array) -> requireFinite(array, name, ""));
  }

  @Override
  public SDVariable defineLayer(
      SameDiff sd, SDVariable input, Map<String, SDVariable> params, SDVariable mask) {
    SDVariable encoded =
        ResidualEncoding.define(
            sd,
            maps().descriptors(sd, input),
            maps().pixelsOf(input),
            MapsInput.maskOfDescriptors(sd, mask),
            params.get(CODEWORDS),
            params.get(SMOOTHING));
    long length = words * maps().channelsOf(input);
    return normalization().define(sd, sd.reshape(encoded, -1, length), length);
  }

  @Override
  SpdRuntimeLayer runtime(NeuralNetConfiguration conf, DataType type, Backend backend) {
    return new TextureEncoding(conf, type, backend);
  }

  /** The passes of the layer. */
  private final class TextureEncoding extends DefinedRuntimeLayer {
    private static final long serialVersionUID = 1L;

    private final transient Algebra algebra;

    TextureEncoding(NeuralNetConfiguration conf, DataType type, Backend backend) {
      super(conf, type, backend, TextureEncodingLayer.this::define, kept());
      this.algebra = backend.algebra();
    }

    @Override
    protected INDArray backward(
        ForwardPass saved, INDArray gradient, Map<String, INDArray> paramGradients) {
      INDArray codewords = saved.param(CODEWORDS);
      INDArray byEncoding =
          normalization()
              .backward(algebra, saved.values(), gradient)
              .reshape(-1, codewords.size(0), codewords.size(1));
      INDArray byDescriptors =
          ResidualEncoding.backward(
              saved.values(),
              maps().descriptors(saved.input()),
              codewords,
              saved.param(SMOOTHING),
              byEncoding,
              paramGradients.get(CODEWORDS),
              paramGradients.get(SMOOTHING));
      return maps().fromDescriptors(byDescriptors, saved.input());
    }
  }

  /** What of the definition the backward pass needs. */
  private List<String> kept() {
    List<String> names = new ArrayList<>(normalization().saved());
    names.addAll(ResidualEncoding.saved());
    return names;
  }

  @Override
  long savedElements(InputType inputType) {
    InputTypeConvolutional maps = maps().typeOf(inputType);
    long positions = maps.getHeight() * maps.getWidth();
    long vectors = (1L + normalization().saved().size()) * words * maps.getChannels();
    return positions * maps.getChannels()
        + ResidualEncoding.savedElements(positions, words)
        + vectors;
  }

  @Override
  public String toString() {
    return describe() + "(nIn=" + getNIn() + ", words=" + words + ", " + normalization() + ")";
  }

  /** Builds a {@link TextureEncodingLayer}. */
  @SuppressWarnings("unchecked") // Layer.Builder.build() is generic in what it returns
  public static final class Builder extends VectorLayer.Builder<Builder>
      implements FeatureMapBuilder<Builder> {
    private int words = DEFAULT_WORDS;

    /**
     * A builder with {@value #DEFAULT_WORDS} codewords, the l2 normalisation on and the power one
     * off.
     */
    public Builder() {
      super(false);
    }

    /**
     * The number K of codewords; {@value #DEFAULT_WORDS} unless set.
     *
     * @param number at least 1
     * @return this builder
     */
    public Builder words(int number) {
      this.words = number;
      return this;
    }

    @Override
    public TextureEncodingLayer build() {
      return checked(new TextureEncodingLayer(this), this);
    }
  }
}
