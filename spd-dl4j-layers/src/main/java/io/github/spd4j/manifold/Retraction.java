/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.manifold;

import io.github.spd4j.internal.backend.Arguments;
import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.internal.backend.Scratch;
import io.github.spd4j.internal.operators.orthonormal.OrthonormalFactor;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * A map q from the tangent space at W back onto the Stiefel manifold, with {@code q(tξ) = W + tξ +
 * O(t²)}.
 */
public enum Retraction {

  /**
   * The Q factor of {@code W + ξ}, its signs fixed by a positive diagonal of R. This is the
   * paper's.
   */
  QR {
    @Override
    INDArray factor(OrthonormalFactor by, INDArray a) {
      return by.qr(a);
    }

    @Override
    INDArray retract(
        OrthonormalFactor by, INDArray w, double t, INDArray tangent, Scratch scratch) {
      return by.qrOfSum(w, t, tangent, scratch);
    }
  },

  /**
   * The polar factor of {@code W + ξ}, the nearest point of the manifold. Made of matrix products
   * alone, it suits GPUs.
   */
  POLAR {
    @Override
    INDArray factor(OrthonormalFactor by, INDArray a) {
      return by.polar(a);
    }

    @Override
    INDArray retract(
        OrthonormalFactor by, INDArray w, double t, INDArray tangent, Scratch scratch) {
      return by.polarOfSum(w, t, tangent, scratch);
    }
  };

  /**
   * What suits the backend: {@link #QR} on a CPU; {@link #POLAR} on a GPU, where products are fast
   * and ND4J's QR prints each matrix.
   *
   * @return the retraction of updaters for which none is set
   */
  public static Retraction preferred() {
    return Backend.current().algebra().isOnDevice() ? POLAR : QR;
  }

  /**
   * Takes a matrix of full column rank to the manifold.
   *
   * @param a [n, p] or [N, n, p], n ≥ p
   * @return matrices with orthonormal columns, of the same shape
   */
  public INDArray ontoManifold(INDArray a) {
    Stiefel.tall(a, "a");
    OrthonormalFactor by = OrthonormalFactor.on(Backend.current());
    return Stiefel.inPairs(a, a, (same, matrix) -> factor(by, matrix));
  }

  /** The orthonormal factor of one matrix. */
  abstract INDArray factor(OrthonormalFactor by, INDArray a);

  /**
   * The retraction of a tangent vector.
   *
   * @param w W [n, p] or [N, n, p], points of the manifold
   * @param tangent ξ [n, p] or [N, n, p], a tangent vector at each W
   * @return the points of the manifold that ξ leads to
   */
  public INDArray retract(INDArray w, INDArray tangent) {
    return retract(w, 1, tangent);
  }

  /**
   * The retraction of a multiple of a tangent vector.
   *
   * @param w W [n, p] or [N, n, p], points of the manifold
   * @param t a factor
   * @param tangent ξ [n, p] or [N, n, p], a tangent vector at each W
   * @return the points of the manifold that tξ leads to, in an array of their own; on the CPU
   *     perhaps outside of any workspace
   */
  public INDArray retract(INDArray w, double t, INDArray tangent) {
    Stiefel.tall(w, "w");
    Arguments.finite(t, "t");
    Stiefel.tall(tangent, "tangent");
    OrthonormalFactor by = OrthonormalFactor.on(Backend.current());
    return Stiefel.inPairs(
        w, tangent, (point, vector) -> retract(by, point, t, vector, new Scratch()));
  }

  /** As {@link #retract(INDArray, double, INDArray)}, in memory that the next call uses again. */
  abstract INDArray retract(
      OrthonormalFactor by, INDArray w, double t, INDArray tangent, Scratch scratch);
}
