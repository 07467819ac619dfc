/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.manifold;

import io.github.spd4j.linalg.Matrices;
import io.github.spd4j.linalg.SymmetricEigen;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.NDArrayIndex;

/**
 * The Bures–Wasserstein metric {@code tr(SAS)}, where {@code SA + AS = ξ}: what the plane metric of
 * invertible matrices M is to {@code A = MMᵀ}.
 *
 * <pre>
 * Log_A(B) = (T − I)A + A(T − I),   T = A^(−1/2) (A^(1/2) B A^(1/2))^(1/2) A^(−1/2),   TAT = B
 * Exp_A(ξ) = (I + S) A (I + S)
 * </pre>
 */
final class BuresWassersteinMetric extends KarcherMetric {

  /** The share of lengths by which a transport may change them: by rounding alone. */
  private static final double TOLERANCE = 1e-6;

  /** T, the symmetric positive definite matrices with TAT = B. */
  static INDArray optimalMaps(INDArray from, INDArray to) {
    SymmetricEigen base = SymmetricEigen.ofPositiveDefinite(from);
    INDArray inverse = Spd.INVERSE_ROOT.apply(base);
    INDArray seen = between(Spd.ROOT.apply(base), to);
    return between(inverse, Spd.ROOT.apply(SymmetricEigen.ofPositiveDefinite(seen)));
  }

  /** SXS for symmetric S. */
  private static INDArray between(INDArray s, INDArray x) {
    return Matrices.symmetricPart(Matrices.product(Matrices.product(s, x), s));
  }

  /** SA + AS. */
  private static INDArray tangents(INDArray bases, INDArray s) {
    return Matrices.symmetricPart(Matrices.product(s, bases)).muli(2);
  }

  /** S with SA + AS = ξ. */
  private static INDArray rates(INDArray bases, INDArray tangents) {
    SymmetricEigen base = SymmetricEigen.ofPositiveDefinite(bases);
    INDArray seen = seen(base.vectors(), tangents);
    return unseen(base.vectors(), seen.divi(sums(base.values())));
  }

  private static INDArray seen(INDArray u, INDArray x) {
    return Matrices.product(Matrices.transposeFirst(u, x), u);
  }

  private static INDArray unseen(INDArray u, INDArray x) {
    return Matrices.symmetricPart(Matrices.transposeSecond(Matrices.product(u, x), u));
  }

  /** λ_i + λ_j. */
  private static INDArray sums(INDArray values) {
    return Nd4j.expandDims(values, 2).add(Nd4j.expandDims(values, 1));
  }

  private static INDArray identity(INDArray like) {
    long n = like.size(1);
    return Nd4j.eye(n).castTo(DataType.DOUBLE).reshape(1, n, n);
  }

  @Override
  double unit(INDArray mean) {
    return Math.sqrt(mean.mul(identity(mean)).sumNumber().doubleValue());
  }

  @Override
  INDArray norms(INDArray bases, INDArray tangents) {
    SymmetricEigen base = SymmetricEigen.ofPositiveDefinite(bases);
    return Matrices.product(rates(bases, tangents), Spd.ROOT.apply(base)).norm2(1, 2);
  }

  @Override
  INDArray logarithms(INDArray bases, INDArray points) {
    return tangents(bases, optimalMaps(bases, points).sub(identity(bases)));
  }

  @Override
  INDArray exponentials(INDArray bases, INDArray tangents) {
    INDArray factors = rates(bases, tangents).add(identity(bases));
    if (!(SymmetricEigen.of(factors).values().minNumber().doubleValue() > 0)) {
      throw new ArithmeticException(
          "expected a geodesic of the Bures–Wasserstein metric that ends before it meets a singular"
              + " matrix, got one that goes on: take a shorter tangent vector, or t between 0 and"
              + " 1");
    }
    return between(factors, bases);
  }

  /** One after the other, because each takes the memory of many. */
  @Override
  INDArray transported(INDArray from, INDArray to, INDArray tangents) {
    SymmetricEigen maps = SymmetricEigen.ofPositiveDefinite(optimalMaps(from, to));
    INDArray u = maps.vectors();
    INDArray seenFrom = seen(u, from);
    INDArray start = seen(u, rates(from, tangents));
    INDArray end = start.ulike();
    for (int i = 0; i < start.size(0); i++) {
      double[] map = maps.values().getRow(i).toDoubleVector();
      BuresTransport transport = new BuresTransport(map, one(seenFrom, i));
      end.slice(i).assign(transport.end(one(start, i)).slice(0));
    }
    INDArray result = tangents(to, unseen(u, end));
    INDArray lengths = norms(from, tangents);
    double change = norms(to, result).sub(lengths).norm2Number().doubleValue();
    if (!(change <= TOLERANCE * lengths.norm2Number().doubleValue())) {
      throw new ArithmeticException(
          "the parallel transport did not converge: the matrices are too far apart. Add a multiple"
              + " of the identity to them");
    }
    return result;
  }

  private static INDArray one(INDArray stack, long i) {
    return stack.get(NDArrayIndex.interval(i, i + 1), NDArrayIndex.all(), NDArrayIndex.all()).dup();
  }
}
