/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import io.github.spd4j.encoding.GaussianMixture;
import io.github.spd4j.encoding.PrincipalComponents;
import io.github.spd4j.internal.backend.Algebra;
import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.internal.backend.ForwardPass;
import io.github.spd4j.internal.operators.encodings.FisherEncoding;
import io.github.spd4j.internal.runtime.DefinedRuntimeLayer;
import io.github.spd4j.internal.runtime.SpdRuntimeLayer;
import io.github.spd4j.linalg.Matrices;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.inputs.InputType.InputTypeConvolutional;
import org.deeplearning4j.nn.conf.layers.samediff.SDLayerParams;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.learning.config.IUpdater;
import org.nd4j.linalg.learning.config.NoOp;
import org.nd4j.linalg.learning.regularization.Regularization;

/**
 * Encodes the local descriptors of an image as an improved Fisher vector, as FV-CNN does.
 *
 * <pre>
 * y_i = (x_i − m) U                                          principal components
 * γ_ik = w_k N(y_i | μ_k, σ_k²) / Σ_j w_j N(y_i | μ_j, σ_j²)   posteriors of a Gaussian mixture
 * u_k = 1/(P √w_k)    Σ_i γ_ik (y_i − μ_k) / σ_k
 * v_k = 1/(P √(2w_k)) Σ_i γ_ik ((y_i − μ_k)² / σ_k² − 1)
 * output = scale · normalised [u_1, …, u_K, v_1, …, v_K]     signed square root, then l2
 * </pre>
 *
 * <p>x_i is what all C feature maps show at position i of P = H·W.
 *
 * <p>Shapes: [N, C, H, W] (or [N, H, W, C]) → [N, 2·K·D]; the parameters are {@link #PCA_MEAN} m
 * [1, C], {@link #PCA_BASIS} U [C, D], {@link #WEIGHTS} w [1, K], {@link #MEANS} μ and {@link
 * #VARIANCES} σ² [K, D]. H and W may differ from batch to batch; a mask [N, 1, H, W] says which
 * pixels count.
 *
 * <p>Papers: Perronnin, Sánchez, Mensink, <i>Improving the Fisher Kernel for Large-Scale Image
 * Classification</i>, ECCV 2010, section 2; Cimpoi, Maji, Vedaldi, <i>Deep Filter Banks for Texture
 * Recognition and Segmentation</i>, CVPR 2015, with K = 64 and all D = C dimensions. The gradient
 * of the input goes through posteriors and principal components.
 *
 * <p>The parameters do not learn by gradient descent: they are fitted to descriptors of training
 * images and {@linkplain #store stored}, by {@code FisherVectors} of {@code io.github.spd4j.train}
 * for example. Until then the layer refuses to compute. They are saved with the network, and no
 * updater, penalty or gradient changes them.
 *
 * <p>When not to use it: where the layers before it are to learn much. The mixture stays what it
 * was fitted to, so {@link TextureEncodingLayer}, which learns its dictionary, is the better choice
 * there. The vector is long (65,536 for 512 maps), and a classifier has that many weights for each
 * class; fewer {@linkplain Builder#dimensions dimensions} shorten it.
 */
public final class FisherVectorLayer extends VectorLayer {

  private static final long serialVersionUID = 1L;

  /** The number of components unless set. */
  public static final int DEFAULT_COMPONENTS = 64;

  /** The name of the parameter m. */
  public static final String PCA_MEAN = "pcaMean";

  /** The name of the parameter U. */
  public static final String PCA_BASIS = "pcaBasis";

  /** The name of the parameter w. */
  public static final String WEIGHTS = "weights";

  /** The name of the parameter μ. */
  public static final String MEANS = "means";

  /** The name of the parameter σ². */
  public static final String VARIANCES = "variances";

  private static final String PROJECTED = "projected";

  private int components;
  private int dimensions;

  private FisherVectorLayer(Builder builder) {
    super(builder);
    this.components = builder.components;
    this.dimensions = builder.dimensions;
    if (components < 1 || dimensions < 0) {
      throw invalidConfig(
          "at least 1 component and 1 dimension",
          "components = " + components + ", dimensions = " + dimensions);
    }
    if (iUpdater != null && !(iUpdater instanceof NoOp)) {
      throw invalidConfig(
          "no updater, since its parameters do not learn", iUpdater.getClass().getSimpleName());
    }
    if (!regularization.isEmpty() || !regularizationBias.isEmpty()) {
      throw invalidConfig("no regularisation, since its parameters do not learn", "one");
    }
    requireNotMore(getNIn());
  }

  private FisherVectorLayer() {} // for Jackson

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
   * @return the number of components
   */
  public int getComponents() {
    return components;
  }

  /**
   * D.
   *
   * @return the number of dimensions after the principal components; 0 if not set, which means C
   */
  public int getDimensions() {
    return dimensions;
  }

  private int dimensionsOf(long channels) {
    return dimensions == 0 ? Math.toIntExact(channels) : dimensions;
  }

  private void requireNotMore(long channels) {
    if (channels > 0 && dimensions > channels) {
      throw invalidConfig(
          "at most " + channels + " dimensions, as many as channels", "dimensions = " + dimensions);
    }
  }

  /**
   * Stores what was fitted in a network's layer.
   *
   * @param layer the layer of the network whose configuration is a FisherVectorLayer; its
   *     parameters are overwritten
   * @param components the principal components, C to D dimensions
   * @param mixture the mixture, K components in D dimensions
   */
  public static void store(
      org.deeplearning4j.nn.api.Layer layer,
      PrincipalComponents components,
      GaussianMixture mixture) {
    Objects.requireNonNull(layer, "layer");
    Objects.requireNonNull(components, "components");
    Objects.requireNonNull(mixture, "mixture");
    Map<String, INDArray> fitted = new LinkedHashMap<>();
    fitted.put(PCA_MEAN, components.mean());
    fitted.put(PCA_BASIS, components.basis());
    fitted.put(WEIGHTS, mixture.weights());
    fitted.put(MEANS, mixture.means());
    fitted.put(VARIANCES, mixture.variances());
    FisherVectorLayer conf = (FisherVectorLayer) layer.conf().getLayer();
    conf.validateParams(fitted);
    // Entries of the table are views, of a frozen layer too, whose setter assigns nothing.
    Map<String, INDArray> table = layer.paramTable();
    fitted.forEach((name, value) -> conf.requireShape(name, table.get(name), value));
    fitted.forEach((name, value) -> table.get(name).assign(value));
  }

  private void requireShape(String name, INDArray parameter, INDArray value) {
    if (!Arrays.equals(parameter.shape(), value.shape())) {
      throw new IllegalArgumentException(
          String.format(
              "%s: expected %s of shape %s, got %s",
              describe(),
              name,
              Arrays.toString(parameter.shape()),
              Arrays.toString(value.shape())));
    }
  }

  @Override
  long outputSize(long size) {
    requireNotMore(size);
    return FisherEncoding.length(components, dimensionsOf(size));
  }

  @Override
  public void defineParameters(SDLayerParams params) {
    int d = dimensionsOf(getNIn());
    params.addWeightParam(PCA_MEAN, 1, getNIn());
    params.addWeightParam(PCA_BASIS, getNIn(), d);
    params.addWeightParam(WEIGHTS, 1, components);
    params.addWeightParam(MEANS, components, d);
    params.addWeightParam(VARIANCES, components, d);
  }

  /**
   * What the layer encodes: the descriptors of some images, what all feature maps show at a
   * position.
   *
   * @param input the layer's input [N, C, H, W] or [N, H, W, C]; it is not changed
   * @return a new array [N·H·W, C]
   */
  public INDArray descriptorsOf(INDArray input) {
    validateInput(input);
    INDArray descriptors = maps().descriptors(input);
    return descriptors.reshape(descriptors.size(0) * descriptors.size(1), descriptors.size(2));
  }

  /** Zeros, which {@link #validateParams} knows as not fitted. */
  @Override
  public void initializeParameters(Map<String, INDArray> params) {
    params.values().forEach(p -> p.assign(0));
  }

  /**
   * Updaters pass by: the parameters do not learn.
   *
   * @param updater ignored
   */
  @Override
  public void setIUpdater(IUpdater updater) {
    super.setIUpdater(new NoOp()); // has no state, and of a gradient that is zero it makes no step
  }

  /**
   * Updaters pass by: the parameters do not learn.
   *
   * @param updater ignored
   */
  @Override
  public void setBiasUpdater(IUpdater updater) {
    // see the Javadoc
  }

  /**
   * Regularisation passes by: the parameters do not learn.
   *
   * @param regularization ignored
   */
  @Override
  public void setRegularization(List<Regularization> regularization) {
    this.regularization = List.of();
  }

  /**
   * Regularisation passes by: the parameters do not learn.
   *
   * @param regularization ignored
   */
  @Override
  public void setRegularizationBias(List<Regularization> regularization) {
    this.regularizationBias = List.of();
  }

  @Override
  public boolean isLearnt(String param) {
    return false;
  }

  @Override
  void validateParams(Map<String, INDArray> params) {
    params.forEach((name, array) -> requireFinite(array, name, ""));
    for (String name : List.of(WEIGHTS, VARIANCES)) {
      INDArray array = params.get(name);
      if (array != null && !(array.minNumber().doubleValue() > 0)) {
        throw new IllegalStateException(
            String.format(
                "%s: expected %s greater than 0, got %s; the layer computes only after its mixture "
                    + "was fitted to training images (FisherVectors) or read from a file",
                describe(), name, array.minNumber()));
      }
    }
  }

  @Override
  public SDVariable defineLayer(
      SameDiff sd, SDVariable input, Map<String, SDVariable> params, SDVariable mask) {
    long channels = maps().channelsOf(input);
    int d = dimensionsOf(channels);
    SDVariable centred =
        sd.reshape(maps().descriptors(sd, input), -1, channels).sub(params.get(PCA_MEAN));
    SDVariable projected =
        sd.reshape(sd.mmul(centred, params.get(PCA_BASIS)), -1, maps().pixelsOf(input), d)
            .rename(PROJECTED);
    SDVariable encoded =
        FisherEncoding.define(
            sd,
            projected,
            maps().pixelsOf(input),
            MapsInput.maskOfDescriptors(sd, mask),
            params.get(WEIGHTS),
            params.get(MEANS),
            params.get(VARIANCES));
    SDVariable mean = mask == null ? encoded : encoded.mul(MapsInput.growth(sd, mask));
    return normalization().define(sd, mean, FisherEncoding.length(components, d));
  }

  @Override
  SpdRuntimeLayer runtime(NeuralNetConfiguration conf, DataType type, Backend backend) {
    return new FisherVector(conf, type, backend);
  }

  /** The passes of the layer. */
  private final class FisherVector extends DefinedRuntimeLayer {
    private static final long serialVersionUID = 1L;

    private final transient Algebra algebra;

    FisherVector(NeuralNetConfiguration conf, DataType type, Backend backend) {
      super(conf, type, backend, FisherVectorLayer.this::define, kept());
      this.algebra = backend.algebra();
    }

    @Override
    protected INDArray backward(
        ForwardPass saved, INDArray gradient, Map<String, INDArray> paramGradients) {
      INDArray projected = saved.values().get(PROJECTED);
      INDArray byMean = normalization().backward(algebra, saved.values(), gradient);
      INDArray byEncoding =
          saved.mask() == null ? byMean : byMean.mul(MapsInput.growth(saved.mask()));
      INDArray byProjected =
          FisherEncoding.backward(
                  saved.values(),
                  projected,
                  saved.param(WEIGHTS),
                  saved.param(MEANS),
                  saved.param(VARIANCES),
                  byEncoding)
              .reshape(-1, projected.size(2));
      INDArray byDescriptors = Matrices.transposeSecond(byProjected, saved.param(PCA_BASIS));
      return maps().fromDescriptors(byDescriptors, saved.input());
    }
  }

  /** What of the definition the backward pass needs. */
  private List<String> kept() {
    List<String> names = new ArrayList<>(normalization().saved());
    names.addAll(FisherEncoding.saved());
    names.add(PROJECTED);
    return names;
  }

  @Override
  long savedElements(InputType inputType) {
    InputTypeConvolutional maps = maps().typeOf(inputType);
    int d = dimensionsOf(maps.getChannels());
    long perPosition = maps.getChannels() + 2L * d + components;
    long vectors = (1L + normalization().saved().size()) * FisherEncoding.length(components, d);
    return maps.getHeight() * maps.getWidth() * perPosition + vectors;
  }

  @Override
  public String toString() {
    return String.format(
        "%s(nIn=%s, components=%s, dimensions=%s, %s)",
        describe(), getNIn(), components, dimensions, normalization());
  }

  /** Builds a {@link FisherVectorLayer}. */
  @SuppressWarnings("unchecked") // Layer.Builder.build() is generic in what it returns
  public static final class Builder extends VectorLayer.Builder<Builder>
      implements FeatureMapBuilder<Builder> {
    private int components = DEFAULT_COMPONENTS;
    private int dimensions;

    /**
     * A builder with {@value #DEFAULT_COMPONENTS} components, all dimensions, both normalisations
     * on.
     */
    public Builder() {
      super(true);
    }

    /**
     * The number K of components of the mixture; {@value #DEFAULT_COMPONENTS} unless set.
     *
     * @param number at least 1
     * @return this builder
     */
    public Builder components(int number) {
      this.components = number;
      return this;
    }

    /**
     * The number D of principal components that are kept; unless set, as many as there are
     * channels, which rotates the descriptors and drops nothing.
     *
     * @param number at most C
     * @return this builder
     */
    public Builder dimensions(int number) {
      this.dimensions = number;
      return this;
    }

    @Override
    public FisherVectorLayer build() {
      return checked(new FisherVectorLayer(this), this);
    }
  }
}
