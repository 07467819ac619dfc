/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.updater;

import io.github.spd4j.internal.backend.Arguments;
import io.github.spd4j.linalg.Matrices;
import io.github.spd4j.manifold.Retraction;
import io.github.spd4j.manifold.Stiefel;
import io.github.spd4j.manifold.StiefelGeometry;
import io.github.spd4j.manifold.StiefelMetric;
import java.util.Map;
import java.util.Objects;
import org.apache.commons.lang3.builder.EqualsBuilder;
import org.apache.commons.lang3.builder.HashCodeBuilder;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.indexing.NDArrayIndex;
import org.nd4j.linalg.learning.GradientUpdater;
import org.nd4j.linalg.learning.config.IUpdater;
import org.nd4j.linalg.schedule.ISchedule;

/**
 * What the updaters on the Stiefel manifold have in common: learning rate or schedule, metric and
 * retraction.
 *
 * <p>One step is {@code W ← q(W − λη)}: η is a tangent vector at W made of the gradient in the
 * {@link StiefelMetric} and of the updater's memory, q the {@link Retraction}. W is on the manifold
 * before any listener or checkpoint sees it.
 */
public abstract class StiefelUpdater implements IUpdater {

  private static final long serialVersionUID = 1L;

  private static final String RATE = "learningRate";

  private double learningRate;
  private ISchedule learningRateSchedule;
  private final StiefelMetric metric;
  private final Retraction retraction;

  StiefelUpdater(
      double learningRate,
      ISchedule learningRateSchedule,
      StiefelMetric metric,
      Retraction retraction) {
    this.learningRate = learningRate;
    this.learningRateSchedule = learningRateSchedule;
    this.metric = Objects.requireNonNull(metric, "metric");
    this.retraction = Objects.requireNonNull(retraction, "retraction");
    if (learningRateSchedule == null) {
      rate(learningRate);
    }
  }

  private static double rate(double learningRate) {
    return Arguments.atLeast(Arguments.finite(learningRate, RATE), 0, RATE);
  }

  /** What is at least 0 and less than 1. */
  static double share(double number, String name) {
    if (!(number >= 0 && number < 1)) {
      throw Arguments.refused(name, "at least 0 and less than 1", number);
    }
    return number;
  }

  /**
   * The inner product on the tangent spaces.
   *
   * @return the metric
   */
  public final StiefelMetric getMetric() {
    return metric;
  }

  /**
   * The way back to the manifold.
   *
   * @return the retraction
   */
  public final Retraction getRetraction() {
    return retraction;
  }

  /**
   * The schedule of the learning rate.
   *
   * @return the schedule, or null for a constant rate
   */
  public final ISchedule getLearningRateSchedule() {
    return learningRateSchedule;
  }

  @Override
  public final double getLearningRate(int iteration, int epoch) {
    return learningRateSchedule == null
        ? learningRate
        : learningRateSchedule.valueAt(iteration, epoch);
  }

  @Override
  public final boolean hasLearningRate() {
    return true;
  }

  @Override
  public final void setLrAndSchedule(double lr, ISchedule lrSchedule) {
    this.learningRate = lr;
    this.learningRateSchedule = lrSchedule;
  }

  /**
   * What a step begins with: a tangent vector at W, which is then checked for NaN and infinity,
   * before anything has changed.
   *
   * @param geometry what a step is made of
   * @param w W [n, p]
   * @param g the partial derivatives by W
   * @param memory this parameter's part of the state, not to be changed; null if it has none
   * @return the gradient on the manifold, unless an updater adds to it
   */
  INDArray tangent(StiefelGeometry geometry, INDArray w, INDArray g, INDArray memory) {
    return geometry.gradient(metric, w, g);
  }

  /**
   * The tangent vector η at W to step along.
   *
   * @param geometry what a step is made of
   * @param w W [n, p]
   * @param tangent what {@link #tangent} returned, which may be changed
   * @param squares ‖tangent‖²
   * @param memory this parameter's part of the state, to be changed; null if it has none
   * @return η [n, p]
   */
  abstract INDArray direction(
      StiefelGeometry geometry, INDArray w, INDArray tangent, double squares, INDArray memory);

  @Override
  public final GradientUpdater<?> instantiate(INDArray viewArray, boolean initializeViewArray) {
    StiefelGeometry geometry = new StiefelGeometry();
    return new StiefelStep(this, viewArray, initializeViewArray, geometry);
  }

  @Override
  public final GradientUpdater<?> instantiate(
      Map<String, INDArray> updaterState, boolean initializeStateArrays) {
    throw new IllegalStateException(
        getClass().getSimpleName()
            + " updates parameters of DL4J layers, which hand it their W; SameDiff's own training"
            + " does not. Use io.github.spd4j.manifold.Stiefel there.");
  }

  /**
   * Transports what the updater remembers of a W to another point of the manifold: the momentum is
   * projected onto the tangent space there. The rest of the memory, if any, stays as it is.
   *
   * @param w W [n, p], where the memory is to be of use
   * @param memory what the updater remembers of one W, {@code stateSize(n·p)} numbers, which are
   *     changed; not read if that is 0
   */
  public final void transport(INDArray w, INDArray memory) {
    long size = stateSize(Arguments.matrix(w, "w").length());
    if (size > 0) {
      if (Arguments.numbers(memory, "memory").length() != size) {
        throw Arguments.refused("memory", size + " numbers", memory.length());
      }
      Matrices.requireFinite(memory, "memory");
      INDArray momentum =
          memory
              .reshape(memory.length())
              .get(NDArrayIndex.interval(0, w.length()))
              .reshape('c', w.shape());
      momentum.assign(Stiefel.projection(w, momentum));
    }
  }

  @Override
  public abstract StiefelUpdater clone();

  @Override
  public final boolean equals(Object o) {
    return EqualsBuilder.reflectionEquals(this, o);
  }

  @Override
  public final int hashCode() {
    return HashCodeBuilder.reflectionHashCode(this);
  }

  @Override
  public final String toString() {
    return String.format(
        "%s(learningRate=%s, %s, metric=%s, retraction=%s)",
        getClass().getSimpleName(),
        learningRateSchedule == null ? learningRate : learningRateSchedule,
        describeMemory(),
        metric,
        retraction);
  }

  /** How the updater remembers, for {@link #toString}. */
  abstract String describeMemory();

  /**
   * What the builders have in common.
   *
   * @param <T> the builder itself
   */
  public abstract static class Builder<T extends Builder<T>> {
    double learningRate;
    ISchedule learningRateSchedule;
    StiefelMetric metric = StiefelMetric.CANONICAL;
    Retraction retraction = Retraction.preferred();

    Builder(double learningRate) {
      this.learningRate = learningRate;
    }

    Builder(StiefelUpdater source) {
      this.learningRate = source.learningRate;
      this.learningRateSchedule = source.learningRateSchedule;
      this.metric = source.metric;
      this.retraction = source.retraction;
    }

    abstract T self();

    /**
     * Builds the updater.
     *
     * @return the updater
     */
    public abstract StiefelUpdater build();

    /**
     * A constant learning rate.
     *
     * @param learningRate not negative
     * @return this builder
     */
    public T learningRate(double learningRate) {
      this.learningRate = rate(learningRate);
      this.learningRateSchedule = null;
      return self();
    }

    /**
     * A learning rate that follows a schedule.
     *
     * @param schedule the schedule
     * @return this builder
     */
    public T learningRate(ISchedule schedule) {
      this.learningRate = Double.NaN;
      this.learningRateSchedule = Objects.requireNonNull(schedule, "schedule");
      return self();
    }

    /**
     * The inner product on the tangent spaces; {@link StiefelMetric#CANONICAL} unless set.
     *
     * @param metric the metric
     * @return this builder
     */
    public T metric(StiefelMetric metric) {
      this.metric = Objects.requireNonNull(metric, "metric");
      return self();
    }

    /**
     * The way back to the manifold; {@link Retraction#preferred} unless set.
     *
     * @param retraction the retraction
     * @return this builder
     */
    public T retraction(Retraction retraction) {
      this.retraction = Objects.requireNonNull(retraction, "retraction");
      return self();
    }
  }
}
