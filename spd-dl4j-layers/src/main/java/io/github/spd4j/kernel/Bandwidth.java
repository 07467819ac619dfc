/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.kernel;

import io.github.spd4j.internal.operators.radial.Sigma;
import io.github.spd4j.internal.operators.radial.SquaredDistances;
import io.github.spd4j.linalg.NumericPolicy;
import java.io.Serializable;
import java.util.Objects;
import org.apache.commons.lang3.Validate;
import org.apache.commons.lang3.builder.EqualsBuilder;
import org.apache.commons.lang3.builder.HashCodeBuilder;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.ops.transforms.Transforms;
import org.nd4j.shade.jackson.annotation.JsonAutoDetect;
import org.nd4j.shade.jackson.annotation.JsonCreator;
import org.nd4j.shade.jackson.annotation.JsonInclude;
import org.nd4j.shade.jackson.annotation.JsonProperty;

/**
 * The bandwidth σ of a radial kernel.
 *
 * <ul>
 *   <li>{@link #meanDistance()}: the mean Euclidean distance between two different feature maps of
 *       the same image (the diagonal is not counted), a constant in the backward pass. The paper's.
 *   <li>{@code meanDistance().differentiated()}: the same value, and the backward pass goes through
 *       it. K does not depend on the scale of the feature maps; now the gradient knows it, and does
 *       not point along them.
 *   <li>{@link #fixed(double)}: the same number for all images.
 * </ul>
 *
 * <p>Each can be multiplied, {@code meanDistance().times(0.5)}, and what it is multiplied by can be
 * {@linkplain #learnt learnt}, {@code meanDistance().learnt()}.
 */
@JsonAutoDetect(
    fieldVisibility = JsonAutoDetect.Visibility.ANY,
    getterVisibility = JsonAutoDetect.Visibility.NONE,
    isGetterVisibility = JsonAutoDetect.Visibility.NONE)
public final class Bandwidth implements Serializable {

  private static final long serialVersionUID = 1L;

  private static final double SMALLEST_FIXED = 2 * NumericPolicy.SIGMA_FLOOR;
  private static final double SMALLEST_LEARNT =
      SMALLEST_FIXED * Math.exp(NumericPolicy.LOG_BANDWIDTH_LIMIT);

  /** The fixed σ, or null for the mean distance. */
  private final Double sigma;

  private final double factor;
  private final boolean differentiated;

  /** Not written unless it is true, as by versions that did not know it. */
  @JsonInclude(JsonInclude.Include.NON_DEFAULT)
  private final boolean learnt;

  @JsonCreator
  private Bandwidth(
      @JsonProperty("sigma") Double sigma,
      @JsonProperty("factor") double factor,
      @JsonProperty("differentiated") boolean differentiated,
      @JsonProperty("learnt") boolean learnt) {
    this.sigma = sigma == null ? null : positive(sigma, "sigma");
    this.factor = positive(factor, "factor");
    double smallest = learnt ? SMALLEST_LEARNT : SMALLEST_FIXED;
    if (sigma != null && sigma * factor <= smallest) {
      throw new IllegalArgumentException(
          String.format(
              "the Bandwidth of a KernelAggregationLayer needs a %s sigma of more than %s, whose "
                  + "square is a number in single precision, got %s",
              learnt ? "learnt" : "fixed", smallest, sigma * factor));
    }
    this.differentiated = differentiated;
    this.learnt = learnt;
  }

  /**
   * σ is the mean Euclidean distance of the feature maps of each image, a constant in the backward
   * pass.
   *
   * @return the bandwidth of the paper
   */
  public static Bandwidth meanDistance() {
    return new Bandwidth(null, 1, false, false);
  }

  /**
   * The same σ for every image.
   *
   * @param sigma a number greater than 0
   * @return the bandwidth
   */
  public static Bandwidth fixed(double sigma) {
    return new Bandwidth(sigma, 1, false, false);
  }

  /**
   * The mean distance, with the backward pass going through it.
   *
   * @return the bandwidth
   * @throws IllegalStateException for a fixed bandwidth, which depends on nothing
   */
  public Bandwidth differentiated() {
    Validate.validState(
        !isFixed(),
        "a KernelAggregationLayer needs differentiated() on Bandwidth.meanDistance(), got it on %s,"
            + " which has no derivative",
        this);
    return new Bandwidth(null, factor, true, learnt);
  }

  /**
   * This bandwidth times e^θ, where θ is a parameter of the layer, {@link
   * RadialKernel#LOG_BANDWIDTH}: one number for all images, 0 at the start, trained by the updater
   * of the layer. The network's L1, L2 and weight decay do not touch it.
   *
   * <p>θ learns whether or not the mean distance is {@linkplain #differentiated differentiated}. A
   * θ that is not finite is refused by the layer; one beyond ±{@value
   * NumericPolicy#LOG_BANDWIDTH_LIMIT} counts as that number, and its gradient is the one there.
   *
   * @return the bandwidth
   */
  public Bandwidth learnt() {
    return new Bandwidth(sigma, factor, differentiated, true);
  }

  /** This bandwidth times e^θ, not learnt any more. */
  Bandwidth after(double theta) {
    return new Bandwidth(sigma, factor * scale(theta), differentiated, false);
  }

  /** e^θ, with θ within its limits. */
  static double scale(double theta) {
    double limit = NumericPolicy.LOG_BANDWIDTH_LIMIT;
    return Math.exp(Math.max(-limit, Math.min(limit, theta)));
  }

  /**
   * This bandwidth multiplied by a number.
   *
   * @param factor a number greater than 0
   * @return the bandwidth
   */
  public Bandwidth times(double factor) {
    return new Bandwidth(sigma, this.factor * positive(factor, "factor"), differentiated, learnt);
  }

  /**
   * Whether σ is the same for all images.
   *
   * @return true for {@link #fixed(double)}
   */
  public boolean isFixed() {
    return sigma != null;
  }

  /**
   * Whether what σ is multiplied by is learnt.
   *
   * @return true after {@link #learnt()}
   */
  public boolean isLearnt() {
    return learnt;
  }

  /**
   * Whether the backward pass goes through σ.
   *
   * @return true after {@link #differentiated()}
   */
  public boolean isDifferentiated() {
    return differentiated;
  }

  /**
   * σ of one image, computed in double precision; that of a learnt one is the σ at the start, and
   * {@link RadialKernel#bandwidth(java.util.Map)} has the present one.
   *
   * @param maps its feature maps [C, P], unchanged by this method
   * @return σ; NaN if the maps have one and σ depends on them
   */
  public double valueFor(INDArray maps) {
    Objects.requireNonNull(maps, "maps");
    Sigma own = forOperators();
    if (isFixed()) {
      return own.fixedValue();
    }
    INDArray distances = Transforms.sqrt(SquaredDistances.between(maps), false);
    double mean = distances.sumNumber().doubleValue() * own.meanDistanceSlope(maps.rows());
    return Math.max(mean, NumericPolicy.SIGMA_FLOOR);
  }

  /** Defines e^θ [1, 1, 1], with θ within its limits. */
  static SDVariable scale(SameDiff sd, SDVariable theta) {
    double limit = NumericPolicy.LOG_BANDWIDTH_LIMIT;
    SDVariable most = sd.constant(Nd4j.scalar(theta.dataType(), limit));
    SDVariable least = sd.constant(Nd4j.scalar(theta.dataType(), -limit));
    SDVariable bounded = sd.math().max(sd.math().min(theta, most), least);
    return sd.reshape(sd.math().exp(bounded), 1, 1, 1);
  }

  /** What operators compute σ with. */
  Sigma forOperators() {
    return new Sigma(sigma, factor, differentiated);
  }

  private static double positive(double value, String name) {
    Validate.isTrue(
        value > 0 && Double.isFinite(value),
        "the Bandwidth of a KernelAggregationLayer needs a finite %s greater than 0, got %s",
        name,
        value);
    return value;
  }

  @Override
  public boolean equals(Object o) {
    return EqualsBuilder.reflectionEquals(this, o);
  }

  @Override
  public int hashCode() {
    return HashCodeBuilder.reflectionHashCode(this);
  }

  @Override
  public String toString() {
    String base = sigma == null ? "meanDistance()" : "fixed(" + sigma + ")";
    return base
        + (factor == 1 ? "" : ".times(" + factor + ")")
        + (differentiated ? ".differentiated()" : "")
        + (learnt ? ".learnt()" : "");
  }
}
