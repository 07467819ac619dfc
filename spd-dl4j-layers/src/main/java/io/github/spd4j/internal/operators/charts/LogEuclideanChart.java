/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.charts;

import io.github.spd4j.internal.backend.ForwardPass;
import io.github.spd4j.internal.operators.vectors.Triangle;
import io.github.spd4j.linalg.SpectralFunction;
import io.github.spd4j.linalg.SymmetricEigen;
import java.util.function.Function;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/** The triangle of the logarithm. */
final class LogEuclideanChart implements Chart {

  private static final String LOGARITHM = "logarithm";
  private static final String EXPONENTIAL = "exponential";
  private static final String VALUES = " of these eigenvalues";
  private static final String VECTORS = " by these eigenvectors";

  private final Function<INDArray, SymmetricEigen> decomposition;
  private final SpectralFunction logarithm;
  private final SpectralFunction exponential = SpectralFunction.exponential();

  /**
   * The chart.
   *
   * @param floor what smaller eigenvalues are raised to
   * @param decomposition of matrices, which may refuse some
   */
  LogEuclideanChart(double floor, Function<INDArray, SymmetricEigen> decomposition) {
    this.decomposition = decomposition;
    this.logarithm = SpectralFunction.logarithm(floor);
  }

  @Override
  public INDArray forward(INDArray matrices, ForwardPass saved) {
    INDArray logarithms = logarithm.apply(kept(decomposition.apply(matrices), LOGARITHM, saved));
    return triangle(matrices).pack(logarithms);
  }

  @Override
  public INDArray backward(INDArray gradient, ForwardPass saved) {
    SymmetricEigen matrices = kept(LOGARITHM, saved);
    return logarithm.backward(matrices, triangle(matrices.vectors()).unpack(gradient));
  }

  @Override
  public INDArray inverse(INDArray vectors, ForwardPass saved) {
    INDArray logarithms = Triangle.symmetric(Triangle.rows(vectors.size(1))).unpack(vectors);
    return exponential.apply(kept(SymmetricEigen.of(logarithms), EXPONENTIAL, saved));
  }

  @Override
  public INDArray inverseBackward(INDArray gradient, ForwardPass saved) {
    return triangle(gradient).pack(exponential.backward(kept(EXPONENTIAL, saved), gradient));
  }

  /** A function of eigenvalues has a derivative that is its own adjoint: that of its gradient. */
  @Override
  public INDArray differential(INDArray matrices, INDArray tangents) {
    return triangle(matrices).pack(logarithm.backward(decomposition.apply(matrices), tangents));
  }

  @Override
  public INDArray tangents(INDArray matrices, INDArray changes) {
    INDArray logarithms = logarithm.apply(decomposition.apply(matrices));
    return exponential.backward(SymmetricEigen.of(logarithms), triangle(matrices).unpack(changes));
  }

  private static Triangle triangle(INDArray matrices) {
    return Triangle.symmetric(Math.toIntExact(matrices.size(1)));
  }

  private static SymmetricEigen kept(SymmetricEigen eigen, String name, ForwardPass saved) {
    saved.keep(name + VALUES, eigen.values());
    saved.keep(name + VECTORS, eigen.vectors());
    return eigen;
  }

  private static SymmetricEigen kept(String name, ForwardPass saved) {
    return new SymmetricEigen(saved.get(name + VALUES), saved.get(name + VECTORS));
  }

  @Override
  public SDVariable define(SameDiff sd, SDVariable matrices, int n) {
    SDVariable exact = matrices.castTo(DataType.DOUBLE);
    return Triangle.symmetric(n).define(sd, logarithm.define(sd, exact, n));
  }

  @Override
  public SDVariable defineInverse(SameDiff sd, SDVariable vectors, int n) {
    return exponential.define(sd, Triangle.symmetric(n).defineUnpack(sd, vectors), n);
  }
}
