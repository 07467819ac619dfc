/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.internal.backend.ForwardPass;
import io.github.spd4j.internal.operators.root.SparseInverse;
import io.github.spd4j.internal.operators.root.SparseInverseGraph;
import io.github.spd4j.internal.runtime.Results;
import io.github.spd4j.internal.runtime.SpdRuntimeLayer;
import java.util.Map;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * Replaces a covariance matrix by a sparse estimate of its inverse, whose entries are partial
 * correlations: how two channels go together beside what both share with the others.
 *
 * <pre>
 * A = Σ / tr Σ,  Θ = A⁻¹
 * Θ ← a step towards the least −log det Θ + tr(AΘ) + λ‖Θ‖₁          m times
 * output = Θ
 * </pre>
 *
 * <p>Inverses are computed by Newton–Schulz iterations, so that small eigenvalues have a bounded
 * one; {@link SparseInverse} has the formulas.
 *
 * <p>Shapes: [N, 1, C, C] → [N, 1, C, C]. A matrix of zeros, such as the covariance of maps that
 * are constant, becomes zero and has no gradient. One with negative eigenvalues that show is
 * refused, and so are steps that lead to one.
 *
 * <p>Paper: Rahman, Koniusz, Wang, Zhou, Moghadam, Sun, <i>Learning Partial Correlation based Deep
 * Visual Representation for Image Classification</i> (iSICE), CVPR 2023, Algorithm 1. As in the
 * authors' code λ = 0.01, η₀ = 1 and seven iterations; their five steps are four here, for the rate
 * of the last is zero. They divide the result by tr Σ once more, and add random numbers of 1e-9 to
 * the diagonal; this layer does neither, so that a flat image has no huge inverse. Backward is the
 * derivative of exactly these steps and iterations.
 *
 * <p>When not to use it: on many channels. It takes (m + 1) times the products and the memory of a
 * {@link MatrixSquareRootLayer} with as many iterations; reduce to 128 or 256 channels before.
 */
public final class SparseInverseLayer extends SpdLayer {

  private static final long serialVersionUID = 1L;

  /** The number of steps unless set. */
  public static final int DEFAULT_STEPS = 4;

  /** λ unless set. */
  public static final double DEFAULT_SPARSITY = 0.01;

  /** η₀ unless set. */
  public static final double DEFAULT_RATE = 1;

  /** The number of Newton–Schulz iterations unless set. */
  public static final int DEFAULT_ITERATIONS = 7;

  private int steps;
  private double sparsity;
  private double rate;
  private int iterations;

  private SparseInverseLayer(Builder builder) {
    super(builder);
    this.steps = builder.steps;
    this.sparsity = builder.sparsity;
    this.rate = builder.rate;
    this.iterations = builder.iterations;
  }

  @Override
  void requireSound() {
    if (steps < 0) {
      throw invalidConfig("steps that are not negative", "steps = " + steps);
    }
    if (!(sparsity >= 0) || Double.isInfinite(sparsity)) {
      throw invalidConfig("a finite sparsity that is not negative", "sparsity = " + sparsity);
    }
    if (!(rate > 0) || Double.isInfinite(rate)) {
      throw invalidConfig("a finite rate greater than 0", "rate = " + rate);
    }
    if (iterations < 1) {
      throw invalidConfig("at least 1 iteration", "iterations = " + iterations);
    }
  }

  private SparseInverseLayer() {} // for Jackson

  @Override
  LayerInput input() {
    return matrix(1);
  }

  @Override
  LayerOutput output() {
    return LayerOutput.MATRIX;
  }

  /**
   * The number of steps of descent.
   *
   * @return m
   */
  public int getSteps() {
    return steps;
  }

  /**
   * How much sparsity counts.
   *
   * @return λ
   */
  public double getSparsity() {
    return sparsity;
  }

  /**
   * The rate of the first step.
   *
   * @return η₀
   */
  public double getRate() {
    return rate;
  }

  /**
   * The number of Newton–Schulz iterations of each inverse.
   *
   * @return as many
   */
  public int getIterations() {
    return iterations;
  }

  @Override
  public SDVariable defineLayer(
      SameDiff sd, SDVariable input, Map<String, SDVariable> params, SDVariable mask) {
    long n = input.getShape()[2];
    SDVariable matrices = sd.reshape(input, -1, n, n);
    SDVariable result =
        SparseInverseGraph.define(sd, matrices, n, steps, sparsity, rate, iterations);
    return sd.reshape(result, -1, 1, n, n);
  }

  @Override
  SpdRuntimeLayer runtime(NeuralNetConfiguration conf, DataType type, Backend backend) {
    return new Inverse(conf, type, backend);
  }

  /** The passes of the layer. */
  private final class Inverse extends SpdRuntimeLayer {
    private static final long serialVersionUID = 1L;

    private final transient SparseInverse operator;

    Inverse(NeuralNetConfiguration conf, DataType type, Backend backend) {
      super(conf, type, backend);
      this.operator = new SparseInverse(steps, sparsity, rate, iterations, backend.algebra());
    }

    @Override
    protected INDArray forward(INDArray input, ForwardPass saved, Results results) {
      requireFiniteInput(input);
      INDArray output = results.create(input.shape());
      named(() -> operator.forward(matrices(input), saved, matrices(output)));
      return output;
    }

    @Override
    protected INDArray backward(
        INDArray gradient,
        Map<String, INDArray> paramGradients,
        ForwardPass saved,
        Results results) {
      INDArray result = results.create(saved.input().shape());
      named(() -> operator.backward(matrices(gradient), saved, matrices(result)));
      return result;
    }
  }

  @Override
  long savedElements(InputType inputType) {
    long size = sizeOf(inputType);
    return (1L + 3L * steps + (steps + 1L) * (3L * iterations + 1)) * size * size;
  }

  @Override
  public String toString() {
    return String.format(
        "%s(nIn=%s, steps=%s, sparsity=%s, rate=%s, iterations=%s)",
        describe(), getNIn(), steps, sparsity, rate, iterations);
  }

  /** Builds a {@link SparseInverseLayer}. */
  @SuppressWarnings("unchecked") // Layer.Builder.build() is generic in what it returns
  public static final class Builder extends SpdLayer.Builder<Builder> {
    private int steps = DEFAULT_STEPS;
    private double sparsity = DEFAULT_SPARSITY;
    private double rate = DEFAULT_RATE;
    private int iterations = DEFAULT_ITERATIONS;

    /** A builder with the settings of the authors' code. */
    public Builder() {}

    /**
     * The number of steps, {@value SparseInverseLayer#DEFAULT_STEPS} unless set.
     *
     * @param number m; with 0 the output is the inverse itself
     * @return this builder
     */
    public Builder steps(int number) {
      this.steps = number;
      return this;
    }

    /**
     * How much sparsity counts, {@value SparseInverseLayer#DEFAULT_SPARSITY} unless set.
     *
     * @param lambda λ, not negative
     * @return this builder
     */
    public Builder sparsity(double lambda) {
      this.sparsity = lambda;
      return this;
    }

    /**
     * The rate of the first step, {@value SparseInverseLayer#DEFAULT_RATE} unless set; those of the
     * others fall evenly.
     *
     * @param eta η₀, greater than 0
     * @return this builder
     */
    public Builder rate(double eta) {
      this.rate = eta;
      return this;
    }

    /**
     * The number of Newton–Schulz iterations of each inverse, {@value
     * SparseInverseLayer#DEFAULT_ITERATIONS} unless set.
     *
     * @param number at least 1
     * @return this builder
     */
    public Builder iterations(int number) {
      this.iterations = number;
      return this;
    }

    @Override
    public SparseInverseLayer build() {
      return checked(new SparseInverseLayer(this), this);
    }
  }
}
