/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.kernel;

import io.github.spd4j.linalg.NumericPolicy;
import io.github.spd4j.linalg.SquaredDistances;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.BooleanIndexing;
import org.nd4j.linalg.indexing.conditions.Conditions;

/**
 * A kernel {@code K_ij = k(d_ij, σ)} of the distance {@code d_ij = ‖f_i − f_j‖} alone.
 *
 * <p>With {@code D = d∘d}, the backward pass is {@code ∂L/∂F = 2 (diag(T·1) − T) F}, {@code T = B +
 * Bᵀ}, where {@code B = ∂L/∂D} holds what the kernel contributes and, for a differentiated
 * bandwidth, {@code ∂L/∂σ · ∂σ/∂D}. Where two maps are equal, the derivative of their distance is
 * taken as 0.
 *
 * <p>With a {@linkplain Bandwidth#learnt learnt} bandwidth, the kernel has the parameter {@link
 * #LOG_BANDWIDTH} θ. K depends on D/σ² alone, so that {@code ∂L/∂θ = σ ∂L/∂σ = −2 Σ_ij D_ij B_ij},
 * with the kernel's own contribution to B.
 */
public abstract class RadialKernel implements Kernel {

  private static final long serialVersionUID = 1L;

  /** The name of the parameter θ of a learnt bandwidth, whose σ is multiplied by e^θ. */
  public static final String LOG_BANDWIDTH = "logBandwidth";

  static final String CENTRED = "centredMaps";
  static final String DISTANCES = "distances";
  static final String SIGMA = "sigma";
  static final String KERNEL = "kernel";
  static final String SQUARED = "squaredDistances";
  static final String SCALE = "bandwidthScale";

  private final Bandwidth bandwidth;

  RadialKernel(Bandwidth bandwidth) {
    this.bandwidth = Objects.requireNonNull(bandwidth, "bandwidth");
  }

  /**
   * How σ is found.
   *
   * @return the bandwidth
   */
  public final Bandwidth bandwidth() {
    return bandwidth;
  }

  /**
   * How σ is found with what has been learnt.
   *
   * @param parameters the {@link #parameters} by name
   * @return the bandwidth times e^θ, which is not learnt any more
   */
  public final Bandwidth bandwidth(Map<String, INDArray> parameters) {
    return bandwidth.isLearnt()
        ? bandwidth.after(parameters.get(LOG_BANDWIDTH).getDouble(0))
        : bandwidth;
  }

  @Override
  public final List<String> parameters() {
    return bandwidth.isLearnt() ? List.of(LOG_BANDWIDTH) : List.of();
  }

  @Override
  public final SDVariable define(SameDiff sd, SDVariable maps, long channels, long pixels) {
    SDVariable start = sd.constant(Nd4j.zeros(maps.dataType(), 1, 1));
    return define(sd, maps, channels, pixels, Map.of(LOG_BANDWIDTH, start));
  }

  @Override
  public final SDVariable define(
      SameDiff sd,
      SDVariable maps,
      long channels,
      long pixels,
      Map<String, SDVariable> parameters) {
    SDVariable centred = SquaredDistances.centre(maps).rename(CENTRED);
    SDVariable squared = SquaredDistances.define(sd, centred, channels, pixels).rename(SQUARED);
    SDVariable distances = null;
    if (needsDistances() || !bandwidth.isFixed()) {
      distances = sd.math().sqrt(squared).rename(DISTANCES);
    }
    SDVariable scale =
        bandwidth.isLearnt()
            ? Bandwidth.scale(sd, parameters.get(LOG_BANDWIDTH)).rename(SCALE)
            : null;
    SDVariable sigma =
        bandwidth.isFixed()
            ? bandwidth.constant(sd, SIGMA, maps.dataType(), scale)
            : bandwidth.define(sd, SIGMA, distances, channels, scale);
    return sd.math().exp(exponent(squared, distances, sigma)).rename(KERNEL);
  }

  @Override
  public final List<String> saved() {
    List<String> names = new ArrayList<>(List.of(CENTRED, SIGMA, KERNEL));
    if (needsDistances()) {
      names.add(DISTANCES);
    }
    if (bandwidth.isLearnt()) {
      names.addAll(List.of(SQUARED, SCALE));
    }
    return names;
  }

  private boolean needsDistances() {
    return slopeDependsOnDistance() || bandwidth.isDifferentiated();
  }

  @Override
  public final INDArray backward(INDArray maps, Map<String, INDArray> saved, INDArray gradient) {
    return backward(maps, saved, gradient, Map.of());
  }

  @Override
  public final INDArray backward(
      INDArray maps,
      Map<String, INDArray> saved,
      INDArray gradient,
      Map<String, INDArray> byParameters) {
    INDArray distances = saved.get(DISTANCES);
    INDArray inverseSigma = inverseOrZero(saved.get(SIGMA));
    INDArray byExponent = gradient.mul(saved.get(KERNEL));
    INDArray bySquared = byExponent.mul(slopeBySquared(distances, inverseSigma));
    if (byParameters.containsKey(LOG_BANDWIDTH)) {
      INDArray sum = bySquared.mul(saved.get(SQUARED)).sum(true, 0, 1, 2).muli(-2);
      byParameters.get(LOG_BANDWIDTH).assign(sum.reshape(1, 1));
    }
    if (bandwidth.isDifferentiated()) {
      INDArray bySigma = byExponent.muli(slopeBySigma(distances, inverseSigma)).sum(true, 1, 2);
      bySigma.muli(bandwidth.meanDistanceSlope(distances.size(1)));
      if (bandwidth.isLearnt()) {
        bySigma.muli(saved.get(SCALE));
      }
      bySquared.addi(halfInverseOrZero(distances).muli(bySigma));
    }
    return SquaredDistances.backward(saved.get(CENTRED), bySquared);
  }

  /**
   * The exponent e of {@code K = exp(e)}, from D and d [N, C, C] and σ [N, 1, 1]. d is null for a
   * fixed σ if {@link #slopeDependsOnDistance} is false.
   */
  abstract SDVariable exponent(SDVariable squared, SDVariable distances, SDVariable sigma);

  /** Whether {@link #slopeBySquared} reads the distances. */
  abstract boolean slopeDependsOnDistance();

  /**
   * {@code ∂e/∂D}, to be broadcast to [N, C, C].
   *
   * @param distances d [N, C, C], or null if {@link #slopeDependsOnDistance} is false
   * @param inverseSigma 1/σ [N, 1, 1], or 0 where all maps of the image are equal
   */
  abstract INDArray slopeBySquared(INDArray distances, INDArray inverseSigma);

  /** {@code ∂e/∂σ} [N, C, C], from d and 1/σ as in {@link #slopeBySquared}. */
  abstract INDArray slopeBySigma(INDArray distances, INDArray inverseSigma);

  /** 1/(2d), and 0 where d is 0. */
  static INDArray halfInverseOrZero(INDArray distances) {
    INDArray inverse = distances.rdiv(0.5);
    BooleanIndexing.replaceWhere(inverse, 0, Conditions.isInfinite());
    return inverse;
  }

  /** 1/σ, and 0 where all maps of the image are equal: there nothing depends on them. */
  private static INDArray inverseOrZero(INDArray sigma) {
    INDArray inverse = sigma.rdiv(1);
    BooleanIndexing.replaceWhere(
        inverse, 0, Conditions.greaterThanOrEqual(1 / (2 * NumericPolicy.SIGMA_FLOOR)));
    return inverse;
  }

  @Override
  public final boolean equals(Object o) {
    return o != null
        && o.getClass() == getClass()
        && bandwidth.equals(((RadialKernel) o).bandwidth);
  }

  @Override
  public final int hashCode() {
    return Objects.hash(getClass(), bandwidth);
  }

  @Override
  public final String toString() {
    return getClass().getSimpleName() + "(" + bandwidth + ")";
  }
}
