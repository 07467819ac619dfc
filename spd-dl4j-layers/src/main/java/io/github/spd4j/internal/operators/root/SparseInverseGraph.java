/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.root;

import io.github.spd4j.internal.backend.Definitions;
import io.github.spd4j.linalg.NumericPolicy;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;

/** The definition of {@link SparseInverse} in SameDiff. */
public final class SparseInverseGraph {

  private SparseInverseGraph() {}

  /**
   * Defines the forward pass in SameDiff.
   *
   * @param sd where to define it
   * @param matrices Σ [N, n, n]
   * @param n the number of rows
   * @param steps m, how many steps of descent; not negative
   * @param sparsity λ, not negative
   * @param rate η₀, greater than 0
   * @param iterations how many Newton–Schulz iterations an inverse takes, at least 1
   * @return Θ [N, n, n]
   */
  public static SDVariable define(
      SameDiff sd,
      SDVariable matrices,
      long n,
      int steps,
      double sparsity,
      double rate,
      int iterations) {
    SDVariable a = matrices.mul(inverseTrace(sd, matrices, n));
    SDVariable theta = inverse(sd, a, n, iterations);
    for (int step = 0; step < steps; step++) {
      double stepRate = SparseInverse.rate(rate, step, steps);
      SDVariable slope = a.sub(inverse(sd, theta, n, iterations)).mul(stepRate);
      double threshold = stepRate * sparsity;
      SDVariable positive = positivePart(sd, theta).sub(slope).sub(threshold);
      SDVariable negative = positivePart(sd, theta.neg()).add(slope).sub(threshold);
      theta = positivePart(sd, positive).sub(positivePart(sd, negative));
    }
    return theta;
  }

  private static SDVariable positivePart(SameDiff sd, SDVariable x) {
    return sd.nn().relu(x, 0);
  }

  private static SDVariable inverseTrace(SameDiff sd, SDVariable matrices, long n) {
    SDVariable identity = Definitions.identity(sd, matrices.dataType(), n);
    SDVariable trace = sd.reshape(matrices.mul(identity), -1, 1, n * n).sum(true, 2);
    SDVariable usable = sd.gt(trace, NumericPolicy.TRACE_FLOOR).castTo(trace.dataType());
    // 1 where it is not usable, whatever it is there
    return usable.div(trace.mul(usable).add(usable.rsub(1)));
  }

  private static SDVariable inverse(SameDiff sd, SDVariable x, long n, int iterations) {
    SDVariable identity = Definitions.identity(sd, x.dataType(), n);
    SDVariable factor = inverseTrace(sd, x, n);
    SDVariable y = x.mul(factor);
    SDVariable z = null;
    for (int k = 0; k < iterations; k++) {
      SDVariable product = z == null ? y : sd.mmul(z, y, false, false, false);
      SDVariable step = identity.mul(1.5).sub(product.mul(0.5));
      y = k == iterations - 1 ? null : sd.mmul(y, step, false, false, false);
      z = z == null ? step : sd.mmul(step, z, false, false, false);
    }
    return sd.mmul(z, z, false, false, false).mul(factor);
  }
}
