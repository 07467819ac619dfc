/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.manifold;

import io.github.spd4j.backend.Backend;
import io.github.spd4j.backend.MatrixStack;
import io.github.spd4j.linalg.Matrices;
import io.github.spd4j.operators.orthonormal.OrthonormalFactor;
import java.util.Arrays;
import java.util.Optional;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * The orthogonal Stiefel manifold {@code St(p, n) = {W ∈ ℝⁿˣᵖ : WᵀW = I}}, n ≥ p.
 *
 * <p>A tangent vector at W is a matrix ξ with {@code Wᵀξ} skew-symmetric. Gradients are in {@link
 * Metric}, ways back to the manifold in {@link Retraction}.
 */
public final class Stiefel {

  private Stiefel() {}

  /**
   * A uniformly distributed (Haar) point, from ND4J's random generator. The same seed gives the
   * same point in both data types, up to rounding.
   *
   * @param type FLOAT or DOUBLE
   * @param n rows
   * @param p columns, at most n
   * @return W [n, p]
   */
  public static INDArray random(DataType type, long n, long p) {
    requireTall(n, p);
    return OrthonormalFactor.qr(Nd4j.randn(DataType.DOUBLE, n, p)).castTo(type);
  }

  /**
   * The first p columns of the identity.
   *
   * @param type FLOAT or DOUBLE
   * @param n rows
   * @param p columns, at most n
   * @return W [n, p]
   */
  public static INDArray identity(DataType type, long n, long p) {
    requireTall(n, p);
    INDArray w = Nd4j.zeros(type, n, p);
    for (long i = 0; i < p; i++) {
      w.putScalar(i, i, 1);
    }
    return w;
  }

  /**
   * The orthogonal projection {@code Z − W sym(WᵀZ)} onto the tangent space at W. It also
   * transports a tangent vector from elsewhere to W.
   *
   * @param w W [n, p], a point of the manifold
   * @param z Z [n, p], any matrix
   * @return a tangent vector at W [n, p]
   */
  public static INDArray projection(INDArray w, INDArray z) {
    return Metric.EUCLIDEAN.gradient(w, z);
  }

  /**
   * Adds a multiple of the {@linkplain #projection projection} onto the tangent space at W.
   *
   * @param target T [n, p] in C order, changed by this method to {@code T + factor · P_W(Z)}
   * @param factor a factor
   * @param w W [n, p], a point of the manifold
   * @param z Z [n, p], any matrix
   * @return T
   */
  public static INDArray addProjection(INDArray target, double factor, INDArray w, INDArray z) {
    new StiefelGeometry(Backend.current())
        .addProjection(1, target, factor, MatrixStack.inOrder(w), MatrixStack.inOrder(z));
    return target;
  }

  /**
   * {@code ‖sym(Wᵀξ)‖_F}: how far a matrix is from being tangent at W.
   *
   * @param w W [n, p]
   * @param tangent ξ [n, p]
   * @return zero for a tangent vector
   */
  public static double distanceFromTangentSpace(INDArray w, INDArray tangent) {
    return Matrices.symmetricPart(Matrices.transposeFirst(w, tangent)).norm2Number().doubleValue();
  }

  /**
   * {@code ‖WᵀW − I‖_F}, computed in double precision.
   *
   * @param w W [n, p]
   * @return zero on the manifold, NaN if W has a NaN
   */
  public static double distanceFromManifold(INDArray w) {
    return Matrices.orthonormalityError(w);
  }

  /**
   * An estimate of {@link #distanceFromManifold} by 4np operations instead of 2np²: {@code ‖Wᵀ(Wx)
   * − x‖} for one fixed x whose entries have random signs and are about 1. The mean of its square
   * over such x is about the square of the distance.
   *
   * @param w W [n, p]
   * @return about zero on the manifold, and greater elsewhere but for a set of measure zero; NaN or
   *     infinite if W is not finite
   */
  public static double estimatedDistanceFromManifold(INDArray w) {
    return Matrices.estimatedOrthonormalityError(w);
  }

  /**
   * The nearest point of the manifold: the polar factor {@code W (WᵀW)^(−1/2)}.
   *
   * @param w any matrix [n, p] of full rank, n ≥ p; it is not changed
   * @return the point W' for which ‖W' − W‖ is least
   * @throws ArithmeticException if W is not of full rank, or not finite
   */
  public static INDArray nearest(INDArray w) {
    requireTall(w.rows(), w.columns());
    return OrthonormalFactor.polar(w);
  }

  /**
   * Says why a matrix is not a point of the manifold.
   *
   * @param w any array
   * @param tolerance the largest {@link #distanceFromManifold} to accept
   * @return the reason, or nothing if W is on the manifold
   */
  public static Optional<String> check(INDArray w, double tolerance) {
    if (w.rank() != 2 || w.rows() < w.columns()) {
      return Optional.of(
          "expected a matrix with at least as many rows as columns, got shape "
              + Arrays.toString(w.shape()));
    }
    double distance = distanceFromManifold(w);
    if (!(distance <= tolerance)) {
      return Optional.of("‖WᵀW − I‖ is " + distance + ", expected at most " + tolerance);
    }
    return Optional.empty();
  }

  private static void requireTall(long n, long p) {
    if (p < 1 || n < p) {
      throw new IllegalArgumentException("expected 1 ≤ p ≤ n, got n = " + n + ", p = " + p);
    }
  }
}
