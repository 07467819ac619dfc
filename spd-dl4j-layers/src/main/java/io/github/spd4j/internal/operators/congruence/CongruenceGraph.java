/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.congruence;

import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;

/** The definition of {@link Congruence} in SameDiff. */
public final class CongruenceGraph {

  private CongruenceGraph() {}

  /**
   * Defines it. K being symmetric, (KW)ᵀ W is WᵀKW: two products over the whole batch.
   *
   * @param sd where to define it
   * @param kernel K [N, 1, C, C]
   * @param w W [C, C']
   * @param c C
   * @param p C'
   * @return Y [N, 1, C', C']
   */
  public static SDVariable define(SameDiff sd, SDVariable kernel, SDVariable w, long c, long p) {
    SDVariable kw = sd.mmul(sd.reshape(kernel, -1, c), w);
    SDVariable transposed = sd.permute(sd.reshape(kw, -1, c, p), 0, 2, 1);
    return sd.reshape(sd.mmul(sd.reshape(transposed, -1, c), w), -1, 1, p, p);
  }
}
