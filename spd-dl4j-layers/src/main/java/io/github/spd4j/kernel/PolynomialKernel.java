/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.kernel;

import io.github.spd4j.internal.backend.Definitions;
import io.github.spd4j.linalg.Matrices;
import java.util.List;
import java.util.Map;
import org.apache.commons.lang3.builder.EqualsBuilder;
import org.apache.commons.lang3.builder.HashCodeBuilder;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.ops.transforms.Transforms;
import org.nd4j.shade.jackson.annotation.JsonCreator;
import org.nd4j.shade.jackson.annotation.JsonProperty;

/**
 * {@code K_ij = (scale · f_i·f_j + offset)^degree}, the polynomial kernel.
 *
 * <p>K is positive semidefinite, and of rank at most P for degree 1 and offset 0. Its entries grow
 * with the power {@code 2·degree} of the feature maps: give a scale of about 1/P, or less for large
 * activations: {@code PolynomialKernel.degree(3).offset(1).scale(0.005)}.
 *
 * <p>Backward, with {@code B = G ∘ degree · scale · (scale · FFᵀ + offset)^(degree−1)}: {@code
 * ∂L/∂F = (B + Bᵀ) F}.
 */
public final class PolynomialKernel implements ClosedKernel {

  private static final long serialVersionUID = 1L;

  private static final String BASE = "base";

  private final int degree;
  private final double offset;
  private final double scale;

  @JsonCreator
  private PolynomialKernel(
      @JsonProperty("degree") int degree,
      @JsonProperty("offset") double offset,
      @JsonProperty("scale") double scale) {
    this.degree = degree;
    this.offset = offset;
    this.scale = scale;
    boolean finite = Double.isFinite(offset) && Double.isFinite(scale);
    if (degree < 1 || !(offset >= 0) || !(scale > 0) || !finite) {
      throw new IllegalArgumentException(
          "the PolynomialKernel of a KernelAggregationLayer needs degree ≥ 1, offset ≥ 0 and scale > 0,"
              + " got "
              + this);
    }
  }

  /**
   * The kernel of a degree, with offset 0 and scale 1.
   *
   * @param degree at least 1
   * @return the kernel
   */
  public static PolynomialKernel degree(int degree) {
    return new PolynomialKernel(degree, 0, 1);
  }

  /**
   * The kernel with an offset.
   *
   * @param offset not negative
   * @return another kernel; this one does not change
   */
  public PolynomialKernel offset(double offset) {
    return new PolynomialKernel(degree, offset, scale);
  }

  /**
   * The kernel with a scale.
   *
   * @param scale greater than 0
   * @return another kernel; this one does not change
   */
  public PolynomialKernel scale(double scale) {
    return new PolynomialKernel(degree, offset, scale);
  }

  @Override
  public SDVariable define(SameDiff sd, SDVariable maps, long channels, long pixels) {
    SDVariable gram = sd.mmul(maps.mul(scale), maps, false, true, false);
    SDVariable base = Definitions.named(sd, gram.add(offset), BASE);
    return sd.math().pow(base, degree);
  }

  /** Pixels that are 0 in all maps change no product. */
  @Override
  public SDVariable define(
      SameDiff sd,
      SDVariable maps,
      SDVariable mask,
      long channels,
      long pixels,
      Map<String, SDVariable> parameters) {
    return define(sd, maps, channels, pixels);
  }

  @Override
  public List<String> saved() {
    return List.of(BASE);
  }

  @Override
  public INDArray backward(INDArray maps, Map<String, INDArray> saved, INDArray gradient) {
    INDArray slope = Transforms.pow(saved.get(BASE), degree - 1, true).muli(degree * scale);
    INDArray byGram = slope.muli(gradient);
    return Matrices.product(byGram.add(Matrices.transpose(byGram)), maps);
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
    return "PolynomialKernel(degree=" + degree + ", offset=" + offset + ", scale=" + scale + ")";
  }
}
