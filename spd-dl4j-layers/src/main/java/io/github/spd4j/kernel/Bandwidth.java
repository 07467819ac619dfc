/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.kernel;

import io.github.spd4j.linalg.NumericPolicy;
import io.github.spd4j.linalg.SquaredDistances;
import java.io.Serializable;
import java.util.Objects;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.ops.transforms.Transforms;
import org.nd4j.shade.jackson.annotation.JsonAutoDetect;
import org.nd4j.shade.jackson.annotation.JsonCreator;
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
 * <p>Each can be multiplied: {@code meanDistance().times(0.5)}.
 */
@JsonAutoDetect(
    fieldVisibility = JsonAutoDetect.Visibility.ANY,
    getterVisibility = JsonAutoDetect.Visibility.NONE,
    isGetterVisibility = JsonAutoDetect.Visibility.NONE)
public final class Bandwidth implements Serializable {

  private static final long serialVersionUID = 1L;

  private static final double SMALLEST_FIXED = 2 * NumericPolicy.SIGMA_FLOOR;

  /** The fixed σ, or null for the mean distance. */
  private final Double sigma;

  private final double factor;
  private final boolean differentiated;

  @JsonCreator
  private Bandwidth(
      @JsonProperty("sigma") Double sigma,
      @JsonProperty("factor") double factor,
      @JsonProperty("differentiated") boolean differentiated) {
    this.sigma = sigma == null ? null : positive(sigma, "sigma");
    this.factor = positive(factor, "factor");
    if (sigma != null && sigma * factor <= SMALLEST_FIXED) {
      throw new IllegalArgumentException(
          "the Bandwidth of a KernelAggregationLayer wants a fixed sigma of more than "
              + SMALLEST_FIXED
              + ", whose square is a number in single precision, got "
              + sigma * factor);
    }
    this.differentiated = differentiated;
  }

  /**
   * σ is the mean Euclidean distance of the feature maps of each image, a constant in the backward
   * pass.
   *
   * @return the bandwidth of the paper
   */
  public static Bandwidth meanDistance() {
    return new Bandwidth(null, 1, false);
  }

  /**
   * The same σ for every image.
   *
   * @param sigma a number greater than 0
   * @return the bandwidth
   */
  public static Bandwidth fixed(double sigma) {
    return new Bandwidth(sigma, 1, false);
  }

  /**
   * The mean distance, with the backward pass going through it.
   *
   * @return the bandwidth
   * @throws IllegalStateException for a fixed bandwidth, which depends on nothing
   */
  public Bandwidth differentiated() {
    if (isFixed()) {
      throw new IllegalStateException(
          "a KernelAggregationLayer wants differentiated() on Bandwidth.meanDistance(), got it on "
              + this
              + ", which has no derivative");
    }
    return new Bandwidth(null, factor, true);
  }

  /**
   * This bandwidth multiplied by a number.
   *
   * @param factor a number greater than 0
   * @return the bandwidth
   */
  public Bandwidth times(double factor) {
    return new Bandwidth(sigma, this.factor * positive(factor, "factor"), differentiated);
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
   * Whether the backward pass goes through σ.
   *
   * @return true after {@link #differentiated()}
   */
  public boolean isDifferentiated() {
    return differentiated;
  }

  /**
   * σ of one image, computed in double precision.
   *
   * @param maps its feature maps [C, P], unchanged by this method
   * @return σ; NaN if the maps have one and σ depends on them
   */
  public double valueFor(INDArray maps) {
    if (isFixed()) {
      return fixedValue();
    }
    INDArray distances = Transforms.sqrt(SquaredDistances.between(maps), false);
    double mean = distances.sumNumber().doubleValue() * meanDistanceSlope(maps.rows());
    return Math.max(mean, NumericPolicy.SIGMA_FLOOR);
  }

  /**
   * Defines σ.
   *
   * @param sd where to define it
   * @param name what to call the variable
   * @param distances {@code d_ij = ‖f_i − f_j‖} [N, C, C]
   * @param channels C
   * @return σ [N, 1, 1], or [1, 1, 1] for a fixed one
   */
  SDVariable define(SameDiff sd, String name, SDVariable distances, long channels) {
    if (isFixed()) {
      return constant(sd, name, distances.dataType());
    }
    SDVariable scaled = distances.sum(true, 1, 2).mul(meanDistanceSlope(channels));
    SDVariable floor = sd.constant(Nd4j.scalar(distances.dataType(), NumericPolicy.SIGMA_FLOOR));
    return sd.math().max(scaled, floor).rename(name);
  }

  /** A fixed σ. */
  double fixedValue() {
    return sigma * factor;
  }

  /** Defines a fixed σ [1, 1, 1]. */
  SDVariable constant(SameDiff sd, String name, DataType type) {
    return sd.constant(name, Nd4j.scalar(type, fixedValue()).reshape(1, 1, 1));
  }

  /**
   * {@code ∂σ/∂d_ij} of a mean distance: the same for all pairs.
   *
   * @param channels C
   * @return factor / (C(C − 1))
   */
  double meanDistanceSlope(long channels) {
    return factor / Math.max(1, channels * (channels - 1));
  }

  private static double positive(double value, String name) {
    if (!(value > 0) || Double.isInfinite(value)) {
      throw new IllegalArgumentException(
          "the Bandwidth of a KernelAggregationLayer wants a finite "
              + name
              + " greater than 0, got "
              + value);
    }
    return value;
  }

  @Override
  public boolean equals(Object o) {
    if (!(o instanceof Bandwidth)) {
      return false;
    }
    Bandwidth that = (Bandwidth) o;
    return Objects.equals(sigma, that.sigma)
        && factor == that.factor
        && differentiated == that.differentiated;
  }

  @Override
  public int hashCode() {
    return Objects.hash(sigma, factor, differentiated);
  }

  @Override
  public String toString() {
    String base = sigma == null ? "meanDistance()" : "fixed(" + sigma + ")";
    return base
        + (factor == 1 ? "" : ".times(" + factor + ")")
        + (differentiated ? ".differentiated()" : "");
  }
}
