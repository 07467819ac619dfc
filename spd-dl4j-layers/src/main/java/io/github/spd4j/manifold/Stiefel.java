/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.manifold;

import io.github.spd4j.backend.Backend;
import io.github.spd4j.backend.MatrixStack;
import io.github.spd4j.linalg.Matrices;
import io.github.spd4j.linalg.SymmetricEigen;
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
   * {@code ‖A − B‖_F}: how far two points are from each other in the space around the manifold. Two
   * points that span the same columns may be far apart.
   *
   * @param a A [n, p]
   * @param b B [n, p]
   * @return the distance, computed in double precision
   */
  public static double chordalDistance(INDArray a, INDArray b) {
    requireSameShape(a, b);
    return a.castTo(DataType.DOUBLE).sub(b.castTo(DataType.DOUBLE)).norm2Number().doubleValue();
  }

  /**
   * {@code ‖AAᵀ − BBᵀ‖_F / √2}: how far what two points span is from each other, whatever their
   * columns; the norm of the sines of the {@linkplain #principalAngles principal angles}.
   *
   * @param a A [n, p], a point of the manifold
   * @param b B [n, p], a point of the manifold
   * @return the distance, at most √p, computed in double precision
   */
  public static double projectionDistance(INDArray a, INDArray b) {
    return outside(a, b).norm2Number().doubleValue();
  }

  /**
   * The angles between what two points span. Their norm is the length of the geodesic between the
   * two subspaces, on the manifold of Grassmann.
   *
   * @param a A [n, p], a point of the manifold
   * @param b B [n, p], a point of the manifold
   * @return p angles from 0 to π/2, the smallest first, DOUBLE; one that is far smaller than
   *     another is good to 1e-8
   */
  public static INDArray principalAngles(INDArray a, INDArray b) {
    INDArray outside = outside(a, b);
    INDArray inside = Matrices.transposeFirst(a.castTo(DataType.DOUBLE), b.castTo(DataType.DOUBLE));
    double[] sines = squaredSingularValues(outside);
    double[] cosines = squaredSingularValues(inside);
    double[] angles = new double[sines.length];
    for (int i = 0; i < angles.length; i++) {
      angles[i] = Math.atan2(Math.sqrt(sines[i]), Math.sqrt(cosines[angles.length - 1 - i]));
    }
    return Nd4j.createFromArray(angles);
  }

  /** (I − AAᵀ) B, which is not rounding even where A and B span almost the same. */
  private static INDArray outside(INDArray a, INDArray b) {
    requireSameShape(a, b);
    INDArray from = a.castTo(DataType.DOUBLE);
    INDArray to = b.castTo(DataType.DOUBLE);
    return Matrices.plusProduct(to, -1, from, Matrices.transposeFirst(from, to));
  }

  private static double[] squaredSingularValues(INDArray m) {
    double[] values = SymmetricEigen.valuesOf(Matrices.transposeFirst(m, m)).toDoubleVector();
    return Arrays.stream(values).map(value -> Math.max(0, value)).toArray();
  }

  private static void requireSameShape(INDArray a, INDArray b) {
    if (a.rank() != 2 || !a.equalShapes(b)) {
      throw new IllegalArgumentException(
          "expected two matrices of the same shape, got shapes "
              + Arrays.toString(a.shape())
              + " and "
              + Arrays.toString(b.shape()));
    }
    requireTall(a.rows(), a.columns());
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
