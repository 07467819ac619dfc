/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.manifold;

import io.github.spd4j.linalg.Matrices;
import io.github.spd4j.linalg.SpectralFunction;
import io.github.spd4j.linalg.SymmetricEigen;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * The affine-invariant metric {@code ‖A^(−1/2) ξ A^(−1/2)‖}: at A everything is as at the identity,
 * between A^(1/2) on both sides.
 */
final class AffineInvariantMetric extends KarcherMetric {

  /** SXS for symmetric S. */
  private static INDArray between(INDArray s, INDArray x) {
    return Matrices.product(Matrices.product(s, x), s);
  }

  @Override
  INDArray norms(INDArray bases, INDArray tangents) {
    return between(Spd.INVERSE_ROOT.apply(SymmetricEigen.ofPositiveDefinite(bases)), tangents)
        .norm2(1, 2);
  }

  @Override
  INDArray logarithms(INDArray bases, INDArray points) {
    SymmetricEigen base = SymmetricEigen.ofPositiveDefinite(bases);
    INDArray seen = between(Spd.INVERSE_ROOT.apply(base), points);
    return between(
        Spd.ROOT.apply(base), Spd.LOGARITHM.apply(SymmetricEigen.ofPositiveDefinite(seen)));
  }

  @Override
  INDArray exponentials(INDArray bases, INDArray tangents) {
    SymmetricEigen base = SymmetricEigen.ofPositiveDefinite(bases);
    INDArray seen = between(Spd.INVERSE_ROOT.apply(base), tangents);
    return between(
        Spd.ROOT.apply(base), SpectralFunction.exponential().apply(SymmetricEigen.of(seen)));
  }

  /** EξEᵀ with {@code E = (BA⁻¹)^(1/2) = A^(1/2) (A^(−1/2) B A^(−1/2))^(1/2) A^(−1/2)}. */
  @Override
  INDArray transported(INDArray from, INDArray to, INDArray tangents) {
    SymmetricEigen base = SymmetricEigen.ofPositiveDefinite(from);
    INDArray inverseRoot = Spd.INVERSE_ROOT.apply(base);
    INDArray middle = Spd.ROOT.apply(SymmetricEigen.ofPositiveDefinite(between(inverseRoot, to)));
    INDArray e = Matrices.product(Matrices.product(Spd.ROOT.apply(base), middle), inverseRoot);
    return Matrices.transposeSecond(Matrices.product(e, tangents), e);
  }

  @Override
  double unit(INDArray mean) {
    return 1;
  }
}
