/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.manifold;

import io.github.spd4j.linalg.SpectralFunction;
import io.github.spd4j.linalg.SymmetricEigen;
import org.nd4j.linalg.api.ndarray.INDArray;

/** The logarithm of a matrix as its coordinates. */
final class LogarithmChart implements FlatMetric.Chart {

  @Override
  public INDArray coordinates(INDArray points) {
    return Spd.LOGARITHM.apply(Spd.decomposed(points));
  }

  @Override
  public INDArray points(INDArray coordinates) {
    return SpectralFunction.exponential().apply(SymmetricEigen.of(coordinates));
  }

  /** A function of eigenvalues has a derivative that is its own adjoint: that of its gradient. */
  @Override
  public INDArray differential(INDArray points, INDArray tangents) {
    return Spd.LOGARITHM.backward(Spd.decomposed(points), tangents);
  }

  @Override
  public INDArray tangents(INDArray points, INDArray changes) {
    SymmetricEigen logarithms = SymmetricEigen.of(coordinates(points));
    return SpectralFunction.exponential().backward(logarithms, changes);
  }
}
