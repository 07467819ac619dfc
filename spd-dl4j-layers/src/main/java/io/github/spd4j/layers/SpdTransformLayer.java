/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import io.github.spd4j.internal.backend.Algebra;
import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.internal.backend.ForwardPass;
import io.github.spd4j.internal.backend.MatrixStack;
import io.github.spd4j.internal.operators.congruence.Congruence;
import io.github.spd4j.internal.operators.congruence.CongruenceGraph;
import io.github.spd4j.internal.runtime.Results;
import io.github.spd4j.internal.runtime.SpdRuntimeLayer;
import io.github.spd4j.linalg.NumericPolicy;
import io.github.spd4j.manifold.Stiefel;
import io.github.spd4j.manifold.StiefelGeometry;
import io.github.spd4j.updater.StiefelHandOver;
import io.github.spd4j.updater.StiefelUpdater;
import io.github.spd4j.updater.StiefelUpdaters;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.DoubleSupplier;
import org.deeplearning4j.nn.api.OptimizationAlgorithm;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.samediff.SDLayerParams;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.learning.config.IUpdater;
import org.nd4j.linalg.learning.config.NoOp;
import org.nd4j.linalg.learning.regularization.Regularization;
import org.nd4j.linalg.ops.transforms.Transforms;
import org.nd4j.shade.jackson.annotation.JsonIgnoreProperties;
import org.nd4j.shade.jackson.annotation.JsonProperty;

/**
 * Transforms a symmetric positive definite matrix into a smaller or more discriminative one.
 *
 * <pre>
 * Y = Wᵀ K W,   WᵀW = I
 * </pre>
 *
 * <p>Shapes: [N, 1, C, C] → [N, 1, C', C'], C' ≤ C; the parameter W is [C, C']. K must be
 * symmetric, as the output of a {@link KernelAggregationLayer} or of this layer is.
 *
 * <p>Paper: Gao, Wu, Bu, Jia, section "SPD Matrix Transformation Layer", Eq. {@code
 * forwardmaniflodmapping}; the layer is known as BiMap in SPDNet (Huang and Van Gool). Backward,
 * with the symmetric part S of ∂L/∂Y: {@code ∂L/∂K = W S Wᵀ}, {@code ∂L/∂W = 2 K W S}.
 *
 * <p>W stays on the Stiefel manifold: its updater is a {@link StiefelUpdater}. Unless set on the
 * layer, it is the {@linkplain StiefelUpdaters#counterpartOf(IUpdater) counterpart} of the
 * network's updater. The network's L1, L2, weight decay, constraints and dropout never touch W or
 * K.
 *
 * <p>When not to use it: after a layer whose output is not symmetric, such as a convolution or, in
 * training, dropout; it is refused. With {@link Rectifier#RELU} the output may be indefinite.
 */
@JsonIgnoreProperties({ // of those of an SpdLayer, not nOut
  SpdLayer.ACTIVATION,
  SpdLayer.BIAS_INIT,
  SpdLayer.GAIN_INIT,
  SpdLayer.WEIGHT_INIT,
  SpdLayer.WEIGHT_NOISE,
  SpdLayer.TIME_SERIES,
  SpdLayer.UPDATER
})
public final class SpdTransformLayer extends SpdLayer {

  private static final long serialVersionUID = 1L;

  /** The name of the parameter W. */
  public static final String W = "W";

  private static final String RECTIFIED = "rectified";

  private StiefelInit init;
  private Rectifier rectifier;

  private SpdTransformLayer(Builder builder) {
    super(builder);
    this.init = Objects.requireNonNull(builder.init, "init");
    this.rectifier = Objects.requireNonNull(builder.rectifier, "rectifier");
    if (nOut < 1) {
      throw invalidConfig("nOut(C') of at least 1", "nOut = " + nOut);
    }
    if (iUpdater != null && !StiefelUpdaters.isAllowed(iUpdater)) {
      throw invalidConfig(
          "StiefelSgd, StiefelAdam or NoOp as its updater", iUpdater.getClass().getSimpleName());
    }
    if (!builder.hasNoRegularization()) {
      throw invalidConfig("no regularisation", "one, which would push W off the Stiefel manifold");
    }
    requireNotLarger(getNIn());
  }

  private SpdTransformLayer() {} // for Jackson

  @Override
  LayerInput input() {
    return matrix(1);
  }

  @Override
  LayerOutput output() {
    return LayerOutput.MATRIX;
  }

  /**
   * The size C' of the output.
   *
   * @return rows of Y
   */
  @Override
  public long getNOut() {
    return nOut;
  }

  @JsonProperty("nout")
  private void restoreNOut(long size) {
    this.nOut = size;
  }

  /**
   * How W starts.
   *
   * @return the start
   */
  public StiefelInit getInit() {
    return init;
  }

  /**
   * What happens to the entries of Y.
   *
   * @return the rectifier
   */
  public Rectifier getRectifier() {
    return rectifier;
  }

  private void requireNotLarger(long size) {
    if (size > 0 && nOut > size) {
      throw invalidConfig("nOut ≤ " + size + ", the size of its input", "nOut = " + nOut);
    }
  }

  @Override
  long outputSize(long size) {
    requireNotLarger(size);
    return nOut;
  }

  @Override
  public void defineParameters(SDLayerParams params) {
    params.addWeightParam(W, getNIn(), nOut);
  }

  @Override
  public void initializeParameters(Map<String, INDArray> params) {
    INDArray w = params.get(W);
    w.assign(init.create(w.dataType(), w.rows(), w.columns()));
  }

  /**
   * Sets the updater of W, as a network and a fine-tune configuration do.
   *
   * @param updater any updater, of which the {@linkplain StiefelUpdaters#counterpartOf(IUpdater,
   *     IUpdater) counterpart} on the Stiefel manifold is taken
   */
  @Override
  public void setIUpdater(IUpdater updater) {
    super.setIUpdater(StiefelUpdaters.counterpartOf(updater, iUpdater));
  }

  @Override
  public IUpdater getUpdaterByParam(String paramName) {
    return iUpdater;
  }

  /**
   * Regularisation of the whole network passes by.
   *
   * @param regularization ignored
   */
  @Override
  public void setRegularization(List<Regularization> regularization) {
    this.regularization = List.of();
  }

  /**
   * Regularisation of the whole network passes by.
   *
   * @param regularization ignored
   */
  @Override
  public void setRegularizationBias(List<Regularization> regularization) {
    this.regularizationBias = List.of();
  }

  @Override
  public List<Regularization> getRegularizationByParam(String paramName) {
    return iUpdater instanceof StiefelUpdater
        ? List.of(new StiefelHandOver(describe(), inputSize(), Math.toIntExact(nOut)))
        : List.of();
  }

  /** With {@link NoOp}, the updater of gradient checks, W may be any finite matrix. */
  @Override
  void validateParams(Map<String, INDArray> params) {
    INDArray w = params.get(W);
    if (Stiefel.estimatedDistanceFromManifold(w) <= NumericPolicy.REFUSED_OFF_MANIFOLD) {
      return;
    }
    requireFinite(w, "W", "");
    if (iUpdater instanceof NoOp) {
      return;
    }
    throw new IllegalStateException(
        String.format(
            "%s: expected W on the Stiefel manifold, ‖WᵀW − I‖ up to %s, got %s. Setting"
                + " parameters, averaging workers or sharing their gradients takes W off. Before"
                + " you set a W, take Stiefel.nearest(W). Train with ManifoldParallelWrapper"
                + " instead of ParallelWrapper, on Spark with StiefelTrainingMaster."
                + " StiefelAveraging.restore(net) brings a network back.",
            describe(), NumericPolicy.REFUSED_OFF_MANIFOLD, Stiefel.distanceFromManifold(w)));
  }

  /**
   * Refuses algorithms that do not ask the updaters: a line search adds the same multiple of a
   * direction to all parameters, and W leaves the manifold.
   */
  @Override
  void validateTraining(OptimizationAlgorithm algorithm) {
    if (algorithm != OptimizationAlgorithm.STOCHASTIC_GRADIENT_DESCENT) {
      throw invalidConfig(
          "optimizationAlgo(STOCHASTIC_GRADIENT_DESCENT), which keeps W on the Stiefel manifold",
          algorithm.toString());
    }
  }

  void requireFiniteGradient(INDArray byW) {
    requireFinite(byW, "the gradient of W", "; no parameter was changed");
  }

  @Override
  public SDVariable defineLayer(
      SameDiff sd, SDVariable input, Map<String, SDVariable> params, SDVariable mask) {
    SDVariable y = CongruenceGraph.define(sd, input, params.get(W), getNIn(), nOut);
    return rectifier == Rectifier.RELU ? sd.nn().relu(y, 0) : y;
  }

  @Override
  SpdRuntimeLayer runtime(NeuralNetConfiguration conf, DataType type, Backend backend) {
    return new Transform(conf, type, backend);
  }

  private final class Transform extends SpdRuntimeLayer {
    private static final long serialVersionUID = 1L;

    private final transient Congruence operator;
    private final transient Algebra algebra;
    private final transient StiefelGeometry geometry;

    Transform(NeuralNetConfiguration conf, DataType type, Backend backend) {
      super(conf, type, backend);
      this.operator = Congruence.on(backend, type);
      this.algebra = backend.algebra();
      this.geometry = new StiefelGeometry();
    }

    /** Where reading is slow: by way of {@link StiefelGeometry}, which waits once. */
    @Override
    protected boolean checksParams() {
      return algebra.isOnDevice();
    }

    /** Refuses W off the manifold, when it is run. */
    private Runnable onManifold(INDArray w) {
      DoubleSupplier distance = geometry.estimatedDistance(w);
      return () -> {
        if (!(distance.getAsDouble() <= NumericPolicy.REFUSED_OFF_MANIFOLD)) {
          validateParams(Map.of(W, w));
        }
      };
    }

    /** What is not finite in K is not finite in any entry of Y: it is enough to check one. */
    @Override
    protected INDArray forward(INDArray input, ForwardPass saved, Results results) {
      INDArray w = MatrixStack.inOrder(saved.param(W));
      INDArray output = results.create(input.size(0), 1, nOut, nOut);
      operator.forward(matrices(input), w, matrices(output), saved);
      boolean checks = !(saved.isTraining() && algebra.isOnDevice());
      Runnable onManifold = checks && checksParams() ? onManifold(w) : LayerInput.NO_CHECK;
      Runnable finite = checks ? finiteInput(algebra, output, nOut * nOut) : LayerInput.NO_CHECK;
      onManifold.run();
      finite.run();
      if (rectifier == Rectifier.RELU) {
        Transforms.relu(output, false);
        saved.keep(RECTIFIED, output.dup());
      }
      return output;
    }

    @Override
    protected INDArray backward(
        INDArray gradient,
        Map<String, INDArray> paramGradients,
        ForwardPass saved,
        Results results) {
      INDArray byY = gradient;
      if (rectifier == Rectifier.RELU) {
        byY = gradient.mul(saved.get(RECTIFIED).gt(0).castTo(gradient.dataType()));
      }
      INDArray w = MatrixStack.inOrder(saved.param(W));
      INDArray byW = paramGradients.get(W);
      INDArray result = results.create(saved.input().shape());
      operator.backward(matrices(byY), w, byW, matrices(result), saved);
      Runnable onManifold = checksParams() ? onManifold(w) : LayerInput.NO_CHECK;
      double squares = geometry.squaredNorm(byW); // waits for both
      onManifold.run();
      if (!Double.isFinite(squares)) {
        requireFiniteGradient(byW);
      }
      return result;
    }
  }

  @Override
  long savedElements(InputType inputType) {
    return (long) sizeOf(inputType) * nOut;
  }

  @Override
  public String toString() {
    return String.format(
        "%s(nIn=%s, nOut=%s, init=%s, rectifier=%s, updater=%s)",
        describe(), getNIn(), nOut, init, rectifier, iUpdater);
  }

  /** Builds an {@link SpdTransformLayer}. */
  @SuppressWarnings("unchecked") // Layer.Builder.build() is generic in what it returns
  public static final class Builder extends SpdLayer.Builder<Builder> {
    private StiefelInit init = StiefelInit.RANDOM;
    private Rectifier rectifier = Rectifier.NONE;

    /** A builder with a random start and no rectifier. */
    public Builder() {}

    /**
     * The size C' of the output; it must be set.
     *
     * @param size rows of Y, at most the rows of K
     * @return this builder
     */
    @Override
    public Builder nOut(int size) {
      return super.nOut(size);
    }

    /**
     * How W starts, {@link StiefelInit#RANDOM} unless set.
     *
     * @param init the start
     * @return this builder
     */
    public Builder init(StiefelInit init) {
      this.init = init;
      return this;
    }

    /**
     * What happens to the entries of Y; nothing unless set.
     *
     * @param rectifier the rectifier
     * @return this builder
     */
    public Builder rectifier(Rectifier rectifier) {
      this.rectifier = rectifier;
      return this;
    }

    private boolean hasNoRegularization() {
      return regularization.isEmpty() && regularizationBias.isEmpty();
    }

    @Override
    public SpdTransformLayer build() {
      return checked(new SpdTransformLayer(this), this);
    }
  }
}
