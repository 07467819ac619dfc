/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.updater;

import io.github.spd4j.manifold.Retraction;
import io.github.spd4j.manifold.StiefelGeometry;
import io.github.spd4j.manifold.StiefelMetric;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.schedule.ISchedule;
import org.nd4j.shade.jackson.annotation.JsonCreator;
import org.nd4j.shade.jackson.annotation.JsonProperty;

/**
 * Stochastic gradient descent on the Stiefel manifold, with momentum if wanted.
 *
 * <pre>
 * v ← μ · P_W(v) + ∇      ∇ = G − W Gᵀ W in the canonical metric
 * W ← q(W − λ v)          q: QR with positive diagonal, or the polar factor
 * </pre>
 *
 * {@code P_W(v) = v − W sym(Wᵀv)} transports the momentum to the tangent space at the present W.
 * With μ = 0 this is the paper's update (Eq. {@code backwardmaniflodmappingwretracting}) and the
 * updater keeps no state.
 */
public final class StiefelSgd extends StiefelUpdater {

  private static final long serialVersionUID = 1L;

  /** The learning rate unless one is given. */
  public static final double DEFAULT_LEARNING_RATE = 0.01;

  private final double momentum;

  /** Learning rate {@value #DEFAULT_LEARNING_RATE}, no momentum. */
  public StiefelSgd() {
    this(builder());
  }

  /**
   * A constant learning rate, no momentum.
   *
   * @param learningRate λ
   */
  public StiefelSgd(double learningRate) {
    this(builder().learningRate(learningRate));
  }

  /**
   * A constant learning rate and momentum.
   *
   * @param learningRate λ
   * @param momentum μ, at least 0 and less than 1
   */
  public StiefelSgd(double learningRate, double momentum) {
    this(builder().learningRate(learningRate).momentum(momentum));
  }

  /**
   * A schedule, no momentum.
   *
   * @param schedule the schedule of λ
   */
  public StiefelSgd(ISchedule schedule) {
    this(builder().learningRate(schedule));
  }

  private StiefelSgd(Builder b) {
    this(b.learningRate, b.learningRateSchedule, b.momentum, b.metric, b.retraction);
  }

  @JsonCreator
  private StiefelSgd(
      @JsonProperty("learningRate") double learningRate,
      @JsonProperty("learningRateSchedule") ISchedule learningRateSchedule,
      @JsonProperty("momentum") double momentum,
      @JsonProperty("metric") StiefelMetric metric,
      @JsonProperty("retraction") Retraction retraction) {
    super(learningRate, learningRateSchedule, metric, retraction);
    this.momentum = share(momentum, "momentum");
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
   * The momentum.
   *
   * @return μ
   */
  public double getMomentum() {
    return momentum;
  }

  @Override
  public long stateSize(long numParams) {
    return momentum == 0 ? 0 : numParams;
  }

  @Override
  INDArray tangent(StiefelGeometry geometry, INDArray w, INDArray g, INDArray memory) {
    return memory == null
        ? super.tangent(geometry, w, g, null)
        : geometry.gradient(getMetric(), w, g, momentum, memory.reshape('c', w.shape()));
  }

  @Override
  INDArray direction(
      StiefelGeometry geometry, INDArray w, INDArray tangent, double squares, INDArray memory) {
    return memory == null ? tangent : memory.reshape('c', w.shape()).assign(tangent);
  }

  @Override
  String describeMemory() {
    return "momentum=" + momentum;
  }

  @Override
  public StiefelSgd clone() {
    return new StiefelSgd(new Builder(this));
  }

  /** Builds a {@link StiefelSgd}. */
  public static final class Builder extends StiefelUpdater.Builder<Builder> {
    private double momentum;

    private Builder() {
      super(DEFAULT_LEARNING_RATE);
    }

    private Builder(StiefelSgd source) {
      super(source);
      this.momentum = source.momentum;
    }

    @Override
    Builder self() {
      return this;
    }

    /**
     * The momentum, 0 unless set.
     *
     * @param momentum at least 0 and less than 1
     * @return this builder
     */
    public Builder momentum(double momentum) {
      this.momentum = share(momentum, "momentum");
      return this;
    }

    @Override
    public StiefelSgd build() {
      return new StiefelSgd(this);
    }
  }
}
