/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.root;

import io.github.spd4j.internal.backend.Definitions;
import io.github.spd4j.linalg.NumericPolicy;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;

/** The definition of {@link Root} in SameDiff. */
public final class RootGraph {

  private RootGraph() {}

  /**
   * Defines the roots.
   *
   * @param sd where to define them
   * @param matrices Σ [N, n, n]
   * @param n the number of rows
   * @param iterations N, at least 1
   * @return [N, n, n]
   */
  public static SDVariable define(SameDiff sd, SDVariable matrices, long n, int iterations) {
    SDVariable identity = Definitions.identity(sd, matrices.dataType(), n);
    SDVariable trace = sd.reshape(matrices.mul(identity), -1, 1, n * n).sum(true, 2);
    SDVariable usable = sd.gt(trace, NumericPolicy.TRACE_FLOOR).castTo(trace.dataType());
    // 1 where it is not usable, whatever it is there
    SDVariable divisor = trace.mul(usable).add(usable.rsub(1));
    SDVariable inverse = usable.div(divisor);
    SDVariable y = matrices.mul(inverse);
    SDVariable z = null;
    SDVariable step = null;
    for (int k = 1; k <= iterations; k++) {
      if (step != null) {
        z = z == null ? step : sd.mmul(step, z, false, false, false);
      }
      SDVariable product = z == null ? y : sd.mmul(z, y, false, false, false);
      step = identity.mul(1.5).sub(product.mul(0.5));
      y = sd.mmul(y, step, false, false, false);
    }
    return y.mul(sd.math().sqrt(divisor).mul(usable));
  }
}
