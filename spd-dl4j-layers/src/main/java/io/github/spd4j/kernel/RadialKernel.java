/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.kernel;

import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.internal.operators.radial.Radial;
import io.github.spd4j.internal.operators.radial.Radial.Exponent;
import io.github.spd4j.internal.operators.radial.RadialGraph;
import io.github.spd4j.internal.operators.radial.RadialKernels;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.commons.lang3.builder.EqualsBuilder;
import org.apache.commons.lang3.builder.HashCodeBuilder;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * A kernel {@code K_ij = k(d_ij, σ)} of the distance {@code d_ij = ‖f_i − f_j‖} alone. {@link
 * Radial} has its formulas.
 *
 * <p>With a {@linkplain Bandwidth#learnt learnt} bandwidth, the kernel has the parameter {@link
 * #LOG_BANDWIDTH} θ.
 */
public abstract class RadialKernel implements Kernel {

  private static final long serialVersionUID = 1L;

  /** The name of the parameter θ of a learnt bandwidth, whose σ is multiplied by e^θ. */
  public static final String LOG_BANDWIDTH = "logBandwidth";

  static {
    RadialKernels.open((kernel, backend, type) -> ((RadialKernel) kernel).operator(backend, type));
  }

  private final Bandwidth bandwidth;

  RadialKernel(Bandwidth bandwidth) {
    this.bandwidth = Objects.requireNonNull(bandwidth, "bandwidth");
  }

  /** What K is the exponential of. */
  abstract Exponent exponent();

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
   * @param parameters the parameters by name
   * @return the bandwidth at present
   */
  public final Bandwidth bandwidth(Map<String, INDArray> parameters) {
    return bandwidth.isLearnt()
        ? bandwidth.after(parameters.get(LOG_BANDWIDTH).getDouble(0))
        : bandwidth;
  }

  /**
   * What the learnt bandwidth multiplies σ by.
   *
   * @param parameters the parameters by name
   * @return e^θ, or 1 if nothing is learnt
   */
  public final double scale(Map<String, INDArray> parameters) {
    return bandwidth.isLearnt() ? Bandwidth.scale(parameters.get(LOG_BANDWIDTH).getDouble(0)) : 1;
  }

  /** What computes this kernel. */
  private Radial operator(Backend backend, DataType type) {
    return Radial.on(backend, type, exponent(), bandwidth.forOperators());
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
    SDVariable scale =
        bandwidth.isLearnt() ? Bandwidth.scale(sd, parameters.get(LOG_BANDWIDTH)) : null;
    return RadialGraph.define(
        sd, maps, exponent(), bandwidth.forOperators(), scale, channels, pixels);
  }

  /** Pixels that are 0 in all maps change no distance. */
  @Override
  public final SDVariable define(
      SameDiff sd,
      SDVariable maps,
      SDVariable mask,
      long channels,
      long pixels,
      Map<String, SDVariable> parameters) {
    return define(sd, maps, channels, pixels, parameters);
  }

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
    return getClass().getSimpleName() + "(" + bandwidth + ")";
  }
}
