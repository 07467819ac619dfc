/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.updater;

import io.github.spd4j.internal.backend.Arguments;
import io.github.spd4j.manifold.Retraction;
import io.github.spd4j.manifold.StiefelGeometry;
import io.github.spd4j.manifold.StiefelMetric;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.indexing.NDArrayIndex;
import org.nd4j.linalg.schedule.ISchedule;
import org.nd4j.shade.jackson.annotation.JsonCreator;
import org.nd4j.shade.jackson.annotation.JsonProperty;

/**
 * Adam on the Stiefel manifold.
 *
 * <pre>
 * m ← β₁ · P_W(m) + (1 − β₁) ∇
 * s ← β₂ · s + (1 − β₂) ‖∇‖² / (n·p)
 * W ← q(W − λ · m̂ / (√ŝ + ε))        m̂ = m / (1 − β₁ᵗ),  ŝ = s / (1 − β₂ᵗ)
 * </pre>
 *
 * The second moment s is one number for the whole matrix, the mean square of an entry of the
 * gradient: scaling the entries one by one, as Adam does in flat space, would leave the tangent
 * space. λ is thus about the root mean square of the change of an entry, as with Adam. (Bécigneul
 * and Ganea, Riemannian Adaptive Optimization Methods, 2019.)
 *
 * <p>The step count t is part of the updater's state, so that bias correction goes on where it was
 * in clones and restored networks.
 */
public final class StiefelAdam extends StiefelUpdater {

  private static final long serialVersionUID = 1L;

  /** s and t, behind the n·p numbers of m. */
  private static final int SCALARS = 2;

  /** The learning rate unless one is given. */
  public static final double DEFAULT_LEARNING_RATE = 1e-3;

  /** β₁ unless one is given. */
  public static final double DEFAULT_BETA1 = 0.9;

  /** β₂ unless one is given. */
  public static final double DEFAULT_BETA2 = 0.999;

  /** ε unless one is given. */
  public static final double DEFAULT_EPSILON = 1e-8;

  private final double beta1;
  private final double beta2;
  private final double epsilon;

  /** Adam's usual settings. */
  public StiefelAdam() {
    this(builder());
  }

  /**
   * A constant learning rate, the rest as usual.
   *
   * @param learningRate λ
   */
  public StiefelAdam(double learningRate) {
    this(builder().learningRate(learningRate));
  }

  private StiefelAdam(Builder b) {
    this(
        b.learningRate,
        b.learningRateSchedule,
        b.beta1,
        b.beta2,
        b.epsilon,
        b.metric,
        b.retraction);
  }

  @JsonCreator
  private StiefelAdam(
      @JsonProperty("learningRate") double learningRate,
      @JsonProperty("learningRateSchedule") ISchedule learningRateSchedule,
      @JsonProperty("beta1") double beta1,
      @JsonProperty("beta2") double beta2,
      @JsonProperty("epsilon") double epsilon,
      @JsonProperty("metric") StiefelMetric metric,
      @JsonProperty("retraction") Retraction retraction) {
    super(learningRate, learningRateSchedule, metric, retraction);
    this.beta1 = share(beta1, "beta1");
    this.beta2 = share(beta2, "beta2");
    this.epsilon = positive(epsilon);
  }

  private static double positive(double epsilon) {
    return Arguments.atLeast(Arguments.finite(epsilon, "epsilon"), Double.MIN_VALUE, "epsilon");
  }

  /**
   * A builder with all options.
   *
   * @return a new builder
   */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * The decay of the first moment.
   *
   * @return β₁
   */
  public double getBeta1() {
    return beta1;
  }

  /**
   * The decay of the second moment.
   *
   * @return β₂
   */
  public double getBeta2() {
    return beta2;
  }

  /**
   * What is added to the root of the second moment.
   *
   * @return ε
   */
  public double getEpsilon() {
    return epsilon;
  }

  @Override
  public long stateSize(long numParams) {
    return numParams + SCALARS;
  }

  /** The memory is the first moment m, then s and t. */
  @Override
  INDArray direction(
      StiefelGeometry geometry, INDArray w, INDArray gradient, double squares, INDArray memory) {
    long size = w.length();
    double[] scalars = geometry.read(memory, size, SCALARS);
    double s = beta2 * scalars[0] + (1 - beta2) * squares / size;
    double t = scalars[1] + 1;
    INDArray moment = memory.get(NDArrayIndex.interval(0, size)).reshape('c', w.shape());
    geometry.addProjection(1 - beta1, gradient, beta1, w, moment);
    moment.assign(gradient);
    geometry.write(memory, size, s, t);

    double rootMeanSquare = Math.sqrt(s / (1 - Math.pow(beta2, t)));
    double scale = (1 - Math.pow(beta1, t)) * (rootMeanSquare + epsilon);
    return geometry.quotient(moment, scale);
  }

  @Override
  String describeMemory() {
    return "beta1=" + beta1 + ", beta2=" + beta2 + ", epsilon=" + epsilon;
  }

  @Override
  public StiefelAdam clone() {
    return new StiefelAdam(new Builder(this));
  }

  /** Builds a {@link StiefelAdam}. */
  public static final class Builder extends StiefelUpdater.Builder<Builder> {
    private double beta1 = DEFAULT_BETA1;
    private double beta2 = DEFAULT_BETA2;
    private double epsilon = DEFAULT_EPSILON;

    private Builder() {
      super(DEFAULT_LEARNING_RATE);
    }

    private Builder(StiefelAdam source) {
      super(source);
      this.beta1 = source.beta1;
      this.beta2 = source.beta2;
      this.epsilon = source.epsilon;
    }

    @Override
    Builder self() {
      return this;
    }

    /**
     * The decay of the first moment.
     *
     * @param beta1 at least 0 and less than 1
     * @return this builder
     */
    public Builder beta1(double beta1) {
      this.beta1 = share(beta1, "beta1");
      return this;
    }

    /**
     * The decay of the second moment.
     *
     * @param beta2 at least 0 and less than 1
     * @return this builder
     */
    public Builder beta2(double beta2) {
      this.beta2 = share(beta2, "beta2");
      return this;
    }

    /**
     * What is added to the root of the second moment.
     *
     * @param epsilon greater than 0
     * @return this builder
     */
    public Builder epsilon(double epsilon) {
      this.epsilon = positive(epsilon);
      return this;
    }

    @Override
    public StiefelAdam build() {
      return new StiefelAdam(this);
    }
  }
}
