/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.manifold;

import io.github.spd4j.internal.backend.Arguments;
import io.github.spd4j.internal.operators.charts.Chart;
import io.github.spd4j.linalg.Matrices;
import io.github.spd4j.linalg.SymmetricEigen;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.function.BinaryOperator;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * A Riemannian metric on the symmetric positive definite matrices: distances, geodesics, means, and
 * what leads from the manifold to its tangent spaces and back.
 *
 * <p>All functions take stacks [N, n, n] or single matrices [n, n], and one matrix goes with every
 * matrix of a stack. They compute in double precision and return the type of their first argument,
 * FLOAT or DOUBLE. Of matrices that are not symmetric they take the symmetric part. A matrix that
 * is not positive definite is refused with an {@link ArithmeticException}. Tangent vectors are
 * symmetric matrices.
 *
 * <table>
 * <caption>The metrics</caption>
 * <tr><th>metric</th><th>distance</th><th>good for</th></tr>
 * <tr><td>{@link #logEuclidean()}</td><td>{@code ‖log A − log B‖}</td>
 * <td>most uses; means without iteration</td></tr>
 * <tr><td>{@link #affineInvariant()}</td><td>{@code ‖log(A^(−1/2) B A^(−1/2))‖}</td>
 * <td>data whose coordinates are arbitrary: it is the same for GAGᵀ and GBGᵀ</td></tr>
 * <tr><td>{@link #logCholesky()}</td>
 * <td>that of the factors L, with the logarithms of their diagonals</td>
 * <td>speed: it needs no eigenvalues</td></tr>
 * <tr><td>{@link #buresWasserstein()}</td>
 * <td>{@code √(tr A + tr B − 2 tr (A^(1/2) B A^(1/2))^(1/2))}</td>
 * <td>matrices that are nearly singular, which are not far away; covariances of normal
 * distributions. A geodesic ends where it meets a singular matrix</td></tr>
 * </table>
 *
 * <p>Papers: Arsigny, Fillard, Pennec, Ayache, <i>Geometric Means in a Novel Vector Space Structure
 * on Symmetric Positive-Definite Matrices</i>, 2007; Pennec, Fillard, Ayache, <i>A Riemannian
 * Framework for Tensor Computing</i>, 2006; Lin, <i>Riemannian Geometry of Symmetric Positive
 * Definite Matrices via Cholesky Decomposition</i>, 2019; Bhatia, Jain, Lim, <i>On the
 * Bures–Wasserstein Distance between Positive Definite Matrices</i>, 2019.
 */
public abstract class SpdMetric {

  SpdMetric() {}

  /**
   * The log-Euclidean metric: logarithms are compared as vectors.
   *
   * @return the metric
   */
  public static SpdMetric logEuclidean() {
    return new FlatMetric(Chart.logEuclidean());
  }

  /**
   * The log-Cholesky metric: Cholesky factors are compared, their diagonals by logarithms.
   *
   * @return the metric
   */
  public static SpdMetric logCholesky() {
    return new FlatMetric(Chart.logCholesky());
  }

  /**
   * The affine-invariant metric.
   *
   * @return the metric
   */
  public static SpdMetric affineInvariant() {
    return new AffineInvariantMetric();
  }

  /**
   * The Bures–Wasserstein metric: the least squared distance between the points of two normal
   * distributions with these covariances. Its transport has no closed form and takes some twenty
   * eigendecompositions, or more where the matrices are far apart.
   *
   * @return the metric
   */
  public static SpdMetric buresWasserstein() {
    return new BuresWassersteinMetric();
  }

  // What a metric does with stacks [N, n, n] of DOUBLE, as many in both.

  abstract INDArray norms(INDArray bases, INDArray tangents);

  abstract INDArray logarithms(INDArray bases, INDArray points);

  abstract INDArray exponentials(INDArray bases, INDArray tangents);

  abstract INDArray transported(INDArray from, INDArray to, INDArray tangents);

  abstract INDArray weightedMean(INDArray points, INDArray weights);

  /**
   * The distance between matrices.
   *
   * @param a A [N, n, n] or [n, n]
   * @param b B [N, n, n] or [n, n]
   * @return [N], or [1] for two single matrices
   */
  public final INDArray distance(INDArray a, INDArray b) {
    INDArray[] pair = together(stack(a, "a"), stack(b, "b"));
    return ofPoints(Map.of("a", a, "b", b), () -> norms(pair[0], logarithms(pair[0], pair[1])))
        .castTo(a.dataType());
  }

  /**
   * The point at t on the shortest way from A to B.
   *
   * @param a A, where t is 0
   * @param b B, where t is 1
   * @param t any number
   * @return as many matrices as A or B
   */
  public final INDArray geodesic(INDArray a, INDArray b, double t) {
    Arguments.finite(t, "t"); // ND4J takes NaN for 0
    return inStacks(a, b, "b", (x, y) -> exponentials(x, logarithms(x, y).muli(t)));
  }

  /**
   * The tangent vector at A that leads to B: the logarithm of the metric.
   *
   * @param a A
   * @param b B
   * @return ξ with {@code exponential(A, ξ) = B}; its {@link #norm} is the distance
   */
  public final INDArray logarithm(INDArray a, INDArray b) {
    return inStacks(a, b, "b", this::logarithms);
  }

  /**
   * Where a tangent vector at A leads to: the exponential of the metric.
   *
   * @param a A
   * @param tangent ξ, symmetric
   * @return the point that is reached in unit time
   */
  public final INDArray exponential(INDArray a, INDArray tangent) {
    return inStacks(a, tangent, "tangent", this::exponentials);
  }

  /**
   * The length of tangent vectors.
   *
   * @param a A
   * @param tangent ξ, symmetric
   * @return [N], or [1] for single matrices
   */
  public final INDArray norm(INDArray a, INDArray tangent) {
    INDArray[] pair = together(stack(a, "a"), stack(tangent, "tangent"));
    return ofPoints(Map.of("a", a), () -> norms(pair[0], pair[1])).castTo(a.dataType());
  }

  /**
   * The parallel transport of tangent vectors along the shortest way from A to B. It keeps lengths
   * and angles.
   *
   * @param a A
   * @param b B
   * @param tangent ξ at A, symmetric
   * @return a tangent vector at B for each at A
   */
  public final INDArray transport(INDArray a, INDArray b, INDArray tangent) {
    INDArray[] stacks = together(stack(a, "a"), stack(b, "b"), stack(tangent, "tangent"));
    return ofPoints(
        Map.of("a", a, "b", b),
        () -> likeFirst(transported(stacks[0], stacks[1], stacks[2]), a, b, tangent));
  }

  /**
   * The Fréchet mean: the matrix whose squared distances from all matrices have the least sum.
   *
   * @param points [N, n, n]
   * @return [n, n]
   * @throws ArithmeticException if the iteration of an affine-invariant or Bures–Wasserstein mean
   *     does not converge
   */
  public final INDArray mean(INDArray points) {
    INDArray stack = stack(points, "points");
    return mean(stack, Nd4j.ones(DataType.DOUBLE, stack.size(0))).castTo(points.dataType());
  }

  /**
   * The weighted Fréchet mean.
   *
   * @param points [N, n, n]
   * @param weights N weights, none negative and not all 0; their sum does not matter
   * @return [n, n]
   * @throws ArithmeticException if the iteration of an affine-invariant or Bures–Wasserstein mean
   *     does not converge
   */
  public final INDArray mean(INDArray points, INDArray weights) {
    INDArray stack = stack(points, "points");
    Objects.requireNonNull(weights, "weights");
    INDArray shares = weights.castTo(DataType.DOUBLE);
    double sum = shares.isEmpty() ? 0 : shares.sumNumber().doubleValue();
    if (shares.length() != stack.size(0)
        || !(shares.minNumber().doubleValue() >= 0)
        || !(sum > 0)
        || Double.isInfinite(sum)) {
      throw new IllegalArgumentException(
          String.format(
              "weights: expected %d weights, none negative and not all 0, got %s",
              stack.size(0), weights.toStringFull()));
    }
    return ofPoints(
            Map.of("points", points), () -> weightedMean(stack, shares.div(sum).reshape(-1, 1, 1)))
        .reshape(stack.size(1), stack.size(2))
        .castTo(points.dataType());
  }

  static INDArray inStacks(
      INDArray a, INDArray b, String nameOfB, BinaryOperator<INDArray> function) {
    INDArray[] pair = together(stack(a, "a"), stack(b, nameOfB));
    return ofPoints(
        nameOfB.equals("b") ? Map.of("a", a, "b", b) : Map.of("a", a),
        () -> likeFirst(function.apply(pair[0], pair[1]), a, b));
  }

  /** Says the name of what is not positive definite: a function sees it too late. */
  static INDArray ofPoints(Map<String, INDArray> points, Supplier<INDArray> function) {
    try {
      return function.get();
    } catch (ArithmeticException e) {
      points.forEach(SpdMetric::requirePositiveDefinite);
      throw e;
    }
  }

  private static void requirePositiveDefinite(String name, INDArray points) {
    try {
      SymmetricEigen.ofPositiveDefinite(points);
    } catch (ArithmeticException e) {
      throw new ArithmeticException(name + ": " + e.getMessage());
    }
  }

  /** Applies a function of stacks of DOUBLE to a stack or a single matrix of any type. */
  static INDArray inStack(INDArray a, UnaryOperator<INDArray> function) {
    return likeFirst(function.apply(stack(a, "a")), a);
  }

  /** With the type of the first argument, and a single matrix if all arguments are. */
  private static INDArray likeFirst(INDArray result, INDArray... arguments) {
    boolean single = Arrays.stream(arguments).allMatch(a -> a.rank() == 2);
    INDArray typed = (single ? result.slice(0) : result).castTo(arguments[0].dataType());
    if (!Matrices.isFinite(typed)) {
      throw new ArithmeticException(
          "expected a finite result, got NaN or infinity: a number is too large for "
              + typed.dataType()
              + ", or the function has no value there");
    }
    return typed;
  }

  /** Stacks with as many matrices in each. */
  private static INDArray[] together(INDArray... stacks) {
    String shapes =
        Arrays.toString(Arrays.stream(stacks).map(a -> Arrays.toString(a.shape())).toArray());
    long count = Arrays.stream(stacks).mapToLong(stack -> stack.size(0)).max().orElseThrow();
    for (int i = 0; i < stacks.length; i++) {
      long own = stacks[i].size(0);
      if (own != count && own != 1 || stacks[i].size(1) != stacks[0].size(1)) {
        throw new IllegalArgumentException(
            "expected stacks of as many matrices of one size, got " + shapes);
      }
      stacks[i] = own == count ? stacks[i] : stacks[i].repeat(0, count);
    }
    return stacks;
  }

  /** [N, n, n] of DOUBLE, symmetric. */
  private static INDArray stack(INDArray a, String name) {
    Matrices.requireFinite(Arguments.squares(a, name), name);
    INDArray exact = a.castTo(DataType.DOUBLE);
    long n = a.size(-1);
    return Matrices.symmetricPart(a.rank() == 2 ? exact.reshape(1, n, n) : exact);
  }
}
