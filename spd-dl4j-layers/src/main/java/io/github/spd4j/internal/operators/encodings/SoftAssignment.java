/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.encodings;

import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/** {@code a_ik = softmax_k(l_ik)}: the share that word k of a dictionary has in descriptor i. */
final class SoftAssignment {

  private SoftAssignment() {}

  /**
   * Defines the shares.
   *
   * @param sd where to define them
   * @param logits l [N·P, K]
   * @param positions P
   * @param words K
   * @param mask 1 for each descriptor that counts, 0 elsewhere [N, P, 1]; null if all count
   * @return a [N, P, K], 0 for a descriptor that does not count
   */
  static SDVariable define(
      SameDiff sd, SDVariable logits, long positions, long words, SDVariable mask) {
    // Of DOUBLE, ND4J does not subtract the largest itself, and divides 0 by 0 far from zero.
    boolean subtracts = logits.dataType() == DataType.DOUBLE && words > 1;
    SDVariable near = subtracts ? logits.sub(logits.max(true, 1)) : logits;
    SDVariable shares = sd.reshape(sd.nn().softmax(near, 1), -1, positions, words);
    return mask == null ? shares : shares.mul(mask);
  }

  /** {@code Σ_i a_ik} [N, K, 1]. */
  static SDVariable mass(SameDiff sd, SDVariable shares, long words) {
    return sd.reshape(shares.sum(true, 1), -1, words, 1);
  }

  /**
   * The gradient with respect to the logits, {@code a ∘ (g − Σ_k a ∘ g)}.
   *
   * @param shares a [N, P, K]
   * @param gradient g [N, P, K]
   * @return [N, P, K]
   */
  static INDArray backward(INDArray shares, INDArray gradient) {
    INDArray mean = shares.mul(gradient).sum(true, 2);
    return gradient.sub(mean).muli(shares);
  }

  /** {@code Σ_d m_kd} of a matrix [K, D], as [1, K]: ND4J fails where a [K, 1] is to be summed. */
  static SDVariable rowSums(SameDiff sd, SDVariable matrix, long rows, long columns) {
    return sd.reshape(sd.reshape(matrix, 1, rows, columns).sum(true, 2), 1, rows);
  }

  /** A batch of matrices [N, P, K] as one matrix [N·P, K]. */
  static INDArray flat(INDArray batch) {
    return batch.reshape(batch.size(0) * batch.size(1), batch.size(2));
  }
}
