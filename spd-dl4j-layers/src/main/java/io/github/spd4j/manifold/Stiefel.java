/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.manifold;

import io.github.spd4j.internal.backend.Arguments;
import io.github.spd4j.internal.backend.MatrixStack;
import io.github.spd4j.linalg.Matrices;
import io.github.spd4j.linalg.NotFiniteException;
import io.github.spd4j.linalg.NumericPolicy;
import io.github.spd4j.linalg.SymmetricEigen;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BinaryOperator;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * The orthogonal Stiefel manifold {@code St(p, n) = {W ∈ ℝⁿˣᵖ : WᵀW = I}}, n ≥ p.
 *
 * <p>A tangent vector at W is a matrix ξ with {@code Wᵀξ} skew-symmetric. Gradients are in {@link
 * StiefelMetric}, ways back to the manifold in {@link Retraction}.
 *
 * <p>Functions of arrays take single matrices [n, p] or stacks [N, n, p], and one matrix goes with
 * every matrix of a stack. What has to be a point of the manifold is refused if it is off by more
 * than {@link NumericPolicy#REFUSED_OFF_MANIFOLD}.
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
    Arguments.type(type, "type");
    requireTall(n, p);
    return Retraction.QR.ontoManifold(Nd4j.randn(DataType.DOUBLE, n, p)).castTo(type);
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
    Arguments.type(type, "type");
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
   * @param w W [n, p] or [N, n, p], points of the manifold
   * @param z Z [n, p] or [N, n, p], any matrices
   * @return a tangent vector at each W
   */
  public static INDArray projection(INDArray w, INDArray z) {
    return inPairs(
        points(w, "w"), tall(z, "z"), (point, matrix) -> StiefelMetric.EUCLIDEAN.at(point, matrix));
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
    Matrices.requireFinite(Arguments.matrix(target, "target"), "target");
    Arguments.finite(factor, "factor");
    points(w, "w");
    tall(z, "z");
    new StiefelGeometry()
        .addProjection(1, target, factor, MatrixStack.inOrder(w), MatrixStack.inOrder(z));
    return target;
  }

  /**
   * {@code ‖sym(Wᵀξ)‖_F}: how far a matrix is from being tangent at W.
   *
   * @param w W [n, p] or [N, n, p]
   * @param tangent ξ [n, p] or [N, n, p]
   * @return zero for a tangent vector; of a stack the largest; NaN if W or ξ has one
   */
  public static double distanceFromTangentSpace(INDArray w, INDArray tangent) {
    Arguments.matrices(w, "w");
    Arguments.matrices(tangent, "tangent");
    return distances(w, tangent, (x, y) -> Matrices.symmetricPart(Matrices.transposeFirst(x, y)))
        .maxNumber()
        .doubleValue();
  }

  /**
   * {@code ‖WᵀW − I‖_F}, computed in double precision.
   *
   * @param w W [n, p], or [N, n, p] for the largest of a stack
   * @return zero on the manifold, NaN if W has a NaN
   */
  public static double distanceFromManifold(INDArray w) {
    Arguments.matrices(w, "w");
    return Matrices.orthonormalityError(w);
  }

  /**
   * An estimate of {@link #distanceFromManifold} by 4np operations instead of 2np²: {@code ‖Wᵀ(Wx)
   * − x‖} for one fixed x whose entries have random signs and are about 1. The mean of its square
   * over such x is about the square of the distance.
   *
   * @param w W [n, p], or [N, n, p] for the largest of a stack
   * @return about zero on the manifold, and greater elsewhere but for a set of measure zero; NaN or
   *     infinite if W is not finite
   */
  public static double estimatedDistanceFromManifold(INDArray w) {
    Arguments.matrices(w, "w");
    return Matrices.estimatedOrthonormalityError(w);
  }

  /**
   * {@code ‖A − B‖_F}: how far two points are from each other in the space around the manifold. Two
   * points that span the same columns may be far apart.
   *
   * @param a A [n, p] or [N, n, p]
   * @param b B [n, p] or [N, n, p]
   * @return the distances [N], or [1] for two single matrices, DOUBLE
   */
  public static INDArray chordalDistance(INDArray a, INDArray b) {
    return distances(tall(a, "a"), tall(b, "b"), (x, y) -> y.sub(x));
  }

  /**
   * {@code ‖AAᵀ − BBᵀ‖_F / √2}: how far what two points span is from each other, whatever their
   * columns; the norm of the sines of the {@linkplain #principalAngles principal angles}.
   *
   * @param a A [n, p] or [N, n, p], points of the manifold
   * @param b B [n, p] or [N, n, p], points of the manifold
   * @return the distances, at most √p, [N], or [1] for two single matrices, DOUBLE
   */
  public static INDArray projectionDistance(INDArray a, INDArray b) {
    return distances(points(a, "a"), points(b, "b"), Stiefel::outside);
  }

  /** The norms of what lies between the matrices of each pair. */
  private static INDArray distances(INDArray a, INDArray b, BinaryOperator<INDArray> difference) {
    return inDouble(
            a,
            b,
            (x, y) -> Nd4j.createFromArray(difference.apply(x, y).norm2Number().doubleValue()))
        .reshape(-1);
  }

  /**
   * The angles between what two points span. Their norm is the length of the geodesic between the
   * two subspaces, on the manifold of Grassmann.
   *
   * @param a A [n, p] or [N, n, p], points of the manifold
   * @param b B [n, p] or [N, n, p], points of the manifold
   * @return p angles from 0 to π/2, the smallest first, [p] or [N, p], DOUBLE; one that is far
   *     smaller than another is good to 1e-8
   */
  public static INDArray principalAngles(INDArray a, INDArray b) {
    return inDouble(points(a, "a"), points(b, "b"), Stiefel::angles);
  }

  private static INDArray angles(INDArray a, INDArray b) {
    double[] sines = squaredSingularValues(outside(a, b));
    double[] cosines = squaredSingularValues(Matrices.transposeFirst(a, b));
    double[] angles = new double[sines.length];
    for (int i = 0; i < angles.length; i++) {
      angles[i] = Math.atan2(Math.sqrt(sines[i]), Math.sqrt(cosines[angles.length - 1 - i]));
    }
    return Nd4j.createFromArray(angles);
  }

  /** (I − AAᵀ) B, which is not rounding even where A and B span almost the same. */
  private static INDArray outside(INDArray a, INDArray b) {
    return Matrices.plusProduct(b, -1, a, Matrices.transposeFirst(a, b));
  }

  private static double[] squaredSingularValues(INDArray m) {
    double[] values = SymmetricEigen.valuesOf(Matrices.transposeFirst(m, m)).toDoubleVector();
    return Arrays.stream(values).map(value -> Math.max(0, value)).toArray();
  }

  private static INDArray inDouble(INDArray a, INDArray b, BinaryOperator<INDArray> function) {
    return inPairs(a.castTo(DataType.DOUBLE), b.castTo(DataType.DOUBLE), function);
  }

  /** A function of two matrices, for stacks of them too. */
  static INDArray inPairs(INDArray a, INDArray b, BinaryOperator<INDArray> function) {
    requireSameShape(a, b);
    if (a.rank() == 2 && b.rank() == 2) {
      return function.apply(a, b.castTo(a.dataType()));
    }
    INDArray[] results = new INDArray[(int) (a.rank() == 3 ? a : b).size(0)];
    for (int i = 0; i < results.length; i++) {
      INDArray first = a.rank() == 3 ? a.slice(i) : a;
      INDArray second = b.rank() == 3 ? b.slice(i) : b;
      results[i] = function.apply(first, second.castTo(a.dataType()));
    }
    return Nd4j.stack(0, results);
  }

  private static void requireSameShape(INDArray a, INDArray b) {
    boolean stacks = a.rank() == 3 && b.rank() == 3;
    if (!isMatrices(a)
        || !isMatrices(b)
        || rows(a) != rows(b)
        || columns(a) != columns(b)
        || stacks && a.size(0) != b.size(0)) {
      throw new IllegalArgumentException(
          "expected two matrices [n, p] of the same shape, or stacks of them [N, n, p], got shapes "
              + Arrays.toString(a.shape())
              + " and "
              + Arrays.toString(b.shape()));
    }
  }

  /** Refuses what is not finite, and matrices with more columns than rows. */
  static INDArray tall(INDArray a, String name) {
    Matrices.requireFinite(Arguments.matrices(a, name), name);
    if (rows(a) < columns(a)) {
      throw Arguments.refused(
          name,
          "a matrix [n, p] with p ≤ n, or a stack of them",
          "shape " + Arrays.toString(a.shape()));
    }
    return a;
  }

  /** Refuses what is not on the manifold. */
  static INDArray points(INDArray w, String name) {
    double distance = Matrices.orthonormalityError(tall(w, name));
    if (!(distance <= NumericPolicy.REFUSED_OFF_MANIFOLD)) {
      throw Arguments.refused(
          name,
          "orthonormal columns",
          "‖WᵀW − I‖ = " + distance + "; Stiefel.nearest makes them so");
    }
    return w;
  }

  private static boolean isMatrices(INDArray a) {
    return (a.rank() == 2 || a.rank() == 3) && a.length() > 0;
  }

  private static long rows(INDArray a) {
    return a.size(a.rank() - 2);
  }

  private static long columns(INDArray a) {
    return a.size(a.rank() - 1);
  }

  /**
   * The nearest point of the manifold: the polar factor {@code W (WᵀW)^(−1/2)}.
   *
   * @param w any matrix of full rank, n ≥ p, [n, p] or [N, n, p]; it is not changed
   * @return the point W' for which ‖W' − W‖ is least
   * @throws ArithmeticException if W is not of full rank, or not finite
   */
  public static INDArray nearest(INDArray w) {
    return Retraction.POLAR.ontoManifold(tall(w, "w"));
  }

  /**
   * Says why a matrix is not a point of the manifold, or not all those of a stack are.
   *
   * @param w any array
   * @param tolerance the largest {@link #distanceFromManifold} to accept
   * @return the reason, or nothing if W is on the manifold
   */
  public static Optional<String> check(INDArray w, double tolerance) {
    Objects.requireNonNull(w, "w");
    Arguments.atLeast(tolerance, 0.0, "tolerance");
    try {
      tall(w, "w");
    } catch (IllegalArgumentException | NotFiniteException e) {
      return Optional.of(e.getMessage());
    }
    double distance = distanceFromManifold(w);
    if (!(distance <= tolerance)) {
      return Optional.of("‖WᵀW − I‖ is " + distance + ", expected at most " + tolerance);
    }
    return Optional.empty();
  }

  private static void requireTall(long n, long p) {
    Arguments.atLeast(n, 1, "n");
    if (p < 1 || n < p) {
      throw Arguments.refused("p", "1 ≤ p ≤ n", "n = " + n + ", p = " + p);
    }
  }
}
