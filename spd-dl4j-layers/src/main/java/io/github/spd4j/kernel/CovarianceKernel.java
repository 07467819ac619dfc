/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.kernel;

import io.github.spd4j.internal.backend.Definitions;
import io.github.spd4j.linalg.Matrices;
import java.util.List;
import java.util.Map;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * {@code K_ij = ⟨f_i − μ_i, f_j − μ_j⟩ / (P − 1)}, the covariance of the channels over the pixels:
 * the linear kernel of centred maps (the paper's Remark).
 *
 * <p>Its rank is at most min(C, P − 1): with more channels than pixels it is singular, which is the
 * paper's reason for the other kernels. Maps of a single pixel have no covariance: K is zero.
 *
 * <p>Backward: {@code ∂L/∂F = (G + Gᵀ) F̄ / (P − 1)} with the centred maps F̄.
 */
public final class CovarianceKernel implements ClosedKernel {

  private static final long serialVersionUID = 1L;

  private static final String SCALED = "scaledMaps";

  @Override
  public SDVariable define(SameDiff sd, SDVariable maps, long channels, long pixels) {
    return define(sd, maps, null, channels, pixels, Map.of());
  }

  @Override
  public SDVariable define(
      SameDiff sd,
      SDVariable maps,
      SDVariable mask,
      long channels,
      long pixels,
      Map<String, SDVariable> parameters) {
    SDVariable centred = CountedPixels.centred(maps, mask);
    SDVariable scaled =
        Definitions.named(sd, CountedPixels.unbiased(sd, centred, mask, pixels), SCALED);
    return sd.mmul(scaled, centred, false, true, false);
  }

  @Override
  public List<String> saved() {
    return List.of(SCALED);
  }

  @Override
  public INDArray backward(INDArray maps, Map<String, INDArray> saved, INDArray gradient) {
    INDArray twice = gradient.add(Matrices.transpose(gradient));
    return Matrices.product(twice, saved.get(SCALED));
  }

  @Override
  public boolean equals(Object o) {
    return o instanceof CovarianceKernel;
  }

  @Override
  public int hashCode() {
    return CovarianceKernel.class.hashCode();
  }

  @Override
  public String toString() {
    return "CovarianceKernel()";
  }
}
