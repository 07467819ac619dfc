/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.manifold;

import io.github.spd4j.internal.backend.MatrixStack;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * The inner product on the tangent spaces of the Stiefel manifold. It decides what the gradient of
 * a function is; both gradients are tangent and vanish at the same points.
 */
public enum StiefelMetric {

  /**
   * {@code ⟨ξ, η⟩ = tr ξᵀ (I − ½WWᵀ) η}; the gradient is {@code G − W Gᵀ W}. This is the paper's.
   * For square W it is twice the Euclidean gradient.
   */
  CANONICAL,

  /**
   * {@code ⟨ξ, η⟩ = tr ξᵀη}; the gradient is the orthogonal projection {@code G − W sym(WᵀG)} onto
   * the tangent space.
   */
  EUCLIDEAN;

  /**
   * The gradient on the manifold.
   *
   * @param w W [n, p] or [N, n, p], points of the manifold
   * @param g G [n, p] or [N, n, p], the gradients in the surrounding space: the partial derivatives
   *     by W
   * @return the gradient at each W, a tangent vector
   */
  public INDArray gradient(INDArray w, INDArray g) {
    return Stiefel.inPairs(Stiefel.points(w, "w"), Stiefel.tall(g, "g"), this::at);
  }

  INDArray at(INDArray point, INDArray partial) {
    return new StiefelGeometry()
        .gradient(this, MatrixStack.inOrder(point), MatrixStack.inOrder(partial));
  }
}
