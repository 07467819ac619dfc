/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.congruence;

import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.internal.backend.ForwardPass;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * {@code Y = Wᵀ K W} for a stack of symmetric matrices K.
 *
 * <p>Backward, with the symmetric part S of ∂L/∂Y: {@code ∂L/∂K = W S Wᵀ}, {@code ∂L/∂W = 2 Σ K W
 * S}.
 *
 * <p>{@link CongruenceHost} and {@link CongruenceBatch} compute it; {@link CongruenceGraph} defines
 * it in SameDiff.
 */
public interface Congruence {

  /**
   * The way to compute it on a backend.
   *
   * @param backend the backend
   * @param type the type of the matrices
   * @return the operator
   */
  static Congruence on(Backend backend, DataType type) {
    return backend.isFused(type) ? new CongruenceHost() : new CongruenceBatch(backend.algebra());
  }

  /**
   * The forward pass.
   *
   * @param kernel K [N, C, C] in C order; not changed
   * @param w W [C, C'] in C order, C' ≤ C; not changed
   * @param y where Y [N, C', C'] goes
   * @param saved what the backward pass needs
   */
  void forward(INDArray kernel, INDArray w, INDArray y, ForwardPass saved);

  /**
   * The backward pass of the last forward pass.
   *
   * @param gradient ∂L/∂Y [N, C', C'] in C order; not changed
   * @param w W [C, C'] in C order; not changed
   * @param wGradient where ∂L/∂W [C, C'] goes
   * @param kernelGradient where ∂L/∂K [N, C, C] goes
   * @param saved what the forward pass kept
   */
  void backward(
      INDArray gradient,
      INDArray w,
      INDArray wGradient,
      INDArray kernelGradient,
      ForwardPass saved);
}
