/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.charts;

import io.github.spd4j.internal.backend.Definitions;
import io.github.spd4j.internal.operators.vectors.Triangle;
import io.github.spd4j.linalg.SpectralFunction;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;

/**
 * The normalisation of matrices under the affine-invariant metric. Means M are given as the
 * coordinates of log M.
 *
 * <pre>
 * A = Σ X_i / N,   M = A^(1/2) exp(Σ log(A^(−1/2) X_i A^(−1/2)) / N) A^(1/2)
 * c_i = log(M^(−1/2) X_i M^(−1/2)),   Y_i = B^(1/2) exp(s c_i / √(v² + ε)) B^(1/2)
 * </pre>
 */
public final class AffineNormalizationGraph extends BatchNormalizationGraph {

  /** What rounding leaves of a zero next to 1. */
  private static final double LEAST = 1e-14;

  private static final SpectralFunction LOGARITHM = SpectralFunction.logarithm(LEAST);
  private static final SpectralFunction EXPONENTIAL = SpectralFunction.exponential();

  private final SDVariable matrices;
  private final double floor;
  private final int n;

  /**
   * A graph for matrices.
   *
   * @param sd where to define it
   * @param matrices X [N, n, n], DOUBLE, with no eigenvalue below the floor
   * @param floor greater than 0
   * @param n the rows of a matrix
   * @param domain the domain of each example [N, 1], or null if there is one domain alone
   * @param domains D
   */
  public AffineNormalizationGraph(
      SameDiff sd, SDVariable matrices, double floor, int n, SDVariable domain, int domains) {
    super(sd, Triangle.symmetric(n).define(sd, matrices), Triangle.length(n), domain, domains);
    this.matrices = matrices;
    this.floor = floor;
    this.n = n;
  }

  /** SXS for symmetric S. */
  private SDVariable between(SDVariable s, SDVariable x) {
    SDVariable product = sd.mmul(sd.mmul(s, x, false, false, false), s, false, false, false);
    return Definitions.symmetric(sd, product);
  }

  private SDVariable unpacked(SDVariable vectors) {
    return Triangle.symmetric(n).defineUnpack(sd, sd.reshape(vectors, -1, length));
  }

  private SDVariable packed(SDVariable symmetric, long rows) {
    return sd.reshape(Triangle.symmetric(n).define(sd, symmetric), 1, rows, length);
  }

  /** The logarithms of SXS, where each domain has an S [D, n, n]. */
  private SDVariable logarithms(SDVariable s) {
    SDVariable ofEach = ofDomain(sd.reshape(s, 1, domains, (long) n * n));
    SDVariable seen = between(sd.reshape(ofEach, -1, n, n), matrices);
    return packed(LOGARITHM.define(sd, seen, n), -1);
  }

  @Override
  SDVariable centred(SDVariable means) {
    return logarithms(EXPONENTIAL.define(sd, unpacked(means.mul(-0.5)), n));
  }

  /** One step of Karcher's iteration from the arithmetic mean. */
  @Override
  SDVariable batchMeans(SDVariable counts) {
    SDVariable none = sd.reshape(sd.eq(counts, 0).castTo(DataType.DOUBLE), domains, 1, 1);
    SDVariable arithmetic =
        unpacked(super.batchMeans(counts))
            .add(none.mul(Definitions.identity(sd, DataType.DOUBLE, n)));
    SDVariable root = SpectralFunction.power(0.5, floor / 2).define(sd, arithmetic, n);
    SDVariable inverse = SpectralFunction.power(-0.5, floor / 2).define(sd, arithmetic, n);
    SDVariable step = unpacked(mean(logarithms(inverse), counts));
    SDVariable mean = between(root, EXPONENTIAL.define(sd, step, n));
    SDVariable logarithm = SpectralFunction.logarithm(Double.MIN_NORMAL).define(sd, mean, n);
    return packed(logarithm, domains);
  }

  /**
   * Defines the matrices of normalised vectors.
   *
   * @param vectors s c_i / √(v² + ε) [N, d]
   * @param bias the coordinates of log B [1, d]
   * @return Y [N, n, n]
   */
  public SDVariable defineOutput(SDVariable vectors, SDVariable bias) {
    SDVariable scaled = EXPONENTIAL.define(sd, unpacked(vectors), n);
    SDVariable root = EXPONENTIAL.define(sd, unpacked(bias.mul(0.5)), n); // [1, n, n]
    SDVariable ones = sd.reshape(ones(), -1, 1, 1);
    return between(ones.mul(root), scaled);
  }
}
