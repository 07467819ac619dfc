/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.internal.backend.ForwardPass;
import io.github.spd4j.internal.runtime.Results;
import io.github.spd4j.internal.runtime.SpdRuntimeLayer;
import io.github.spd4j.linalg.Matrices;
import io.github.spd4j.linalg.Shrinkage;
import java.util.Map;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.samediff.SDLayerParams;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * Shrinks a matrix towards a multiple of the identity, which takes its small eigenvalues away from
 * zero, and, if asked to, brings all matrices to the same trace before.
 *
 * <pre>
 * X ← C X / tr X                          if traceNormalization
 * output = (1 − α) X + α (tr X / C) I
 * </pre>
 *
 * <p>Shapes: [N, 1, C, C] → [N, 1, C, C]. α is fixed, or {@linkplain Builder#learntFrom learnt}:
 * then there is one parameter θ, [1, 1], with α = 1 / (1 + e^−θ), which the updater of the layer
 * trains; L1, L2, weight decay and constraints of the network do not touch it. A matrix of zeros,
 * such as the covariance of maps that are constant, stays zero, and the normalisation leaves it no
 * gradient.
 *
 * <p>Paper: Ledoit, Wolf, <i>A Well-Conditioned Estimator for Large-Dimensional Covariance
 * Matrices</i>, J. Multivariate Anal. 2004, Eq. 14, with an α that is set or learnt; that which
 * they estimate for each image is in {@link io.github.spd4j.kernel.LedoitWolfKernel}. Backward is
 * that of {@link Shrinkage}.
 *
 * <p>When not to use it: the trace normalisation takes the contrast of an image away, and before a
 * {@link MatrixSquareRootLayer} or a l2 normalisation it changes nothing that those keep. Where all
 * matrices have about the same trace, the ridge of a {@link KernelAggregationLayer} does the same
 * as a fixed α.
 */
public final class ShrinkageLayer extends SpdLayer {

  private static final long serialVersionUID = 1L;

  /** The name of the parameter θ of a learnt α. */
  public static final String LOGIT = "logit";

  private double shrinkage;
  private boolean learnt;
  private boolean traceNormalization;

  private ShrinkageLayer(Builder builder) {
    super(builder);
    this.shrinkage = builder.shrinkage;
    this.learnt = builder.learnt;
    this.traceNormalization = builder.traceNormalization;
  }

  @Override
  void requireSound() {
    if (!(shrinkage >= 0 && shrinkage <= 1)) {
      throw invalidConfig("a shrinkage from 0 to 1", "shrinkage = " + shrinkage);
    }
    if (learnt && (shrinkage == 0 || shrinkage == 1)) {
      throw invalidConfig(
          "a shrinkage between 0 and 1 where it is learnt", "shrinkage = " + shrinkage);
    }
    if (shrinkage == 0 && !traceNormalization) {
      throw invalidConfig(
          "a shrinkage greater than 0, or traceNormalization(true)", "neither: nothing to do");
    }
  }

  private ShrinkageLayer() {} // for Jackson

  @Override
  LayerInput input() {
    return matrix(1);
  }

  @Override
  LayerOutput output() {
    return LayerOutput.MATRIX;
  }

  /**
   * The shrinkage, or where it begins if it is learnt.
   *
   * @return α
   */
  public double getShrinkage() {
    return shrinkage;
  }

  /**
   * Whether α is learnt.
   *
   * @return true if there is a parameter
   */
  public boolean isLearnt() {
    return learnt;
  }

  /**
   * Whether matrices are divided by the mean of their eigenvalues before.
   *
   * @return true if so
   */
  public boolean isTraceNormalization() {
    return traceNormalization;
  }

  @Override
  public void defineParameters(SDLayerParams params) {
    if (learnt) {
      params.addWeightParam(LOGIT, 1, 1);
    }
  }

  @Override
  public void initializeParameters(Map<String, INDArray> params) {
    params.values().forEach(logit -> logit.assign(Math.log(shrinkage / (1 - shrinkage))));
  }

  @Override
  void validateParams(Map<String, INDArray> params) {
    params.forEach((name, array) -> requireFinite(array, name, ""));
  }

  private double alpha(ForwardPass saved) {
    return learnt ? 1 / (1 + Math.exp(-saved.param(LOGIT).getDouble(0))) : shrinkage;
  }

  @Override
  public SDVariable defineLayer(
      SameDiff sd, SDVariable input, Map<String, SDVariable> params, SDVariable mask) {
    long n = input.getShape()[2];
    SDVariable matrices = sd.reshape(input, -1, n, n);
    if (traceNormalization) {
      matrices = Shrinkage.defineNormalized(sd, matrices, n);
    }
    SDVariable alpha =
        learnt
            ? sd.nn().sigmoid(params.get(LOGIT))
            : sd.constant(Nd4j.createFromArray(shrinkage).castTo(input.dataType()));
    return sd.reshape(Shrinkage.defineShrunk(sd, matrices, n, alpha), -1, 1, n, n);
  }

  @Override
  SpdRuntimeLayer runtime(NeuralNetConfiguration conf, DataType type, Backend backend) {
    return new Shrunk(conf, type, backend);
  }

  /** The passes of the layer. */
  private final class Shrunk extends SpdRuntimeLayer {
    private static final long serialVersionUID = 1L;

    Shrunk(NeuralNetConfiguration conf, DataType type, Backend backend) {
      super(conf, type, backend);
    }

    @Override
    protected INDArray forward(INDArray input, ForwardPass saved, Results results) {
      requireFiniteInput(input);
      INDArray output = results.create(input.shape());
      named(
          () ->
              matrices(output).assign(Shrinkage.shrunk(normalized(matrices(input)), alpha(saved))));
      return output;
    }

    @Override
    protected INDArray backward(
        INDArray gradient,
        Map<String, INDArray> paramGradients,
        ForwardPass saved,
        Results results) {
      INDArray matrices = matrices(saved.input());
      INDArray byOutput = Matrices.symmetricPart(matrices(gradient));
      double alpha = alpha(saved);
      if (learnt) {
        double byAlpha = Shrinkage.byAlpha(normalized(matrices), byOutput);
        paramGradients.get(LOGIT).assign(byAlpha * alpha * (1 - alpha));
      }
      INDArray byMatrices = Shrinkage.byMatrices(byOutput, alpha);
      if (traceNormalization) {
        byMatrices = Shrinkage.byUnnormalized(matrices, byMatrices);
      }
      INDArray result = results.create(saved.input().shape());
      matrices(result).assign(byMatrices);
      return result;
    }
  }

  private INDArray normalized(INDArray matrices) {
    return traceNormalization ? Shrinkage.normalized(matrices) : matrices;
  }

  @Override
  long savedElements(InputType inputType) {
    long size = sizeOf(inputType);
    return size * size;
  }

  @Override
  public String toString() {
    return describe()
        + "(nIn="
        + getNIn()
        + ", shrinkage="
        + shrinkage
        + (learnt ? " learnt" : "")
        + ", traceNormalization="
        + traceNormalization
        + ")";
  }

  /** Builds a {@link ShrinkageLayer}. */
  @SuppressWarnings("unchecked") // Layer.Builder.build() is generic in what it returns
  public static final class Builder extends SpdLayer.Builder<Builder> {
    private double shrinkage;
    private boolean learnt;
    private boolean traceNormalization;

    /** A builder with neither shrinkage nor normalisation; the layer needs one of them. */
    public Builder() {}

    /**
     * Sets the shrinkage.
     *
     * @param alpha α from 0, the matrix itself and the default, to 1, a multiple of the identity
     * @return this builder
     */
    public Builder shrinkage(double alpha) {
      this.shrinkage = alpha;
      this.learnt = false;
      return this;
    }

    /**
     * Has the shrinkage learnt.
     *
     * @param start α in the beginning, between 0 and 1
     * @return this builder
     */
    public Builder learntFrom(double start) {
      this.shrinkage = start;
      this.learnt = true;
      return this;
    }

    /**
     * Whether matrices are divided by the mean of their eigenvalues before, so that the trace of
     * all of them is C.
     *
     * @param on false unless set
     * @return this builder
     */
    public Builder traceNormalization(boolean on) {
      this.traceNormalization = on;
      return this;
    }

    @Override
    public ShrinkageLayer build() {
      return checked(new ShrinkageLayer(this), this);
    }
  }
}
