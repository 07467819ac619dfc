/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.manifold;

import io.github.spd4j.internal.backend.Arguments;
import io.github.spd4j.linalg.Matrices;
import io.github.spd4j.linalg.SpectralFunction;
import io.github.spd4j.linalg.SymmetricEigen;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.nd4j.linalg.api.ndarray.INDArray;

/** Symmetric positive definite matrices: what they are, and how far a matrix is from one. */
public final class Spd {

  /** Of eigenvalues that are known to be positive. */
  static final SpectralFunction LOGARITHM = SpectralFunction.logarithm(Double.MIN_NORMAL);

  /** Of eigenvalues that are known to be positive. */
  static final SpectralFunction ROOT = SpectralFunction.power(0.5, Double.MIN_NORMAL);

  /** Of eigenvalues that are known to be positive. */
  static final SpectralFunction INVERSE_ROOT = SpectralFunction.power(-0.5, Double.MIN_NORMAL);

  private Spd() {}

  /**
   * The logarithms of positive definite matrices.
   *
   * @param a [N, n, n] or [n, n]
   * @return symmetric matrices of the same shape and type
   * @throws ArithmeticException if a matrix is not positive definite
   */
  public static INDArray logarithm(INDArray a) {
    return ofPositiveDefinite(a, LOGARITHM);
  }

  /**
   * The exponentials of symmetric matrices.
   *
   * @param a [N, n, n] or [n, n]
   * @return positive definite matrices of the same shape and type
   * @throws ArithmeticException if the result is too large for the type
   */
  public static INDArray exponential(INDArray a) {
    return SpdMetric.inStack(
        a, stack -> SpectralFunction.exponential().apply(SymmetricEigen.of(stack)));
  }

  /**
   * Powers of positive definite matrices.
   *
   * @param a [N, n, n] or [n, n]
   * @param exponent any number, such as ½ for the root and −1 for the inverse
   * @return positive definite matrices of the same shape and type
   * @throws ArithmeticException if a matrix is not positive definite, or the result too large for
   *     the type
   */
  public static INDArray power(INDArray a, double exponent) {
    Arguments.finite(exponent, "exponent");
    SpectralFunction power = SpectralFunction.power(exponent, Double.MIN_NORMAL);
    return ofPositiveDefinite(a, power);
  }

  private static INDArray ofPositiveDefinite(INDArray a, SpectralFunction function) {
    Objects.requireNonNull(a, "a");
    return SpdMetric.ofPoints(
        Map.of("a", a),
        () ->
            SpdMetric.inStack(
                a, stack -> function.apply(SymmetricEigen.ofPositiveDefinite(stack))));
  }

  /**
   * The optimal map T from A to B: that of normal distributions with these covariances and the
   * least squared distance. {@code TXTᵀ} is what becomes of the covariance X of other points.
   *
   * @param a A [N, n, n] or [n, n], positive definite
   * @param b B [N, n, n] or [n, n], positive definite
   * @return T, positive definite, with {@code TAT = B}
   * @throws ArithmeticException if a matrix is not positive definite
   */
  public static INDArray optimalMap(INDArray a, INDArray b) {
    return SpdMetric.inStacks(a, b, "b", BuresWassersteinMetric::optimalMaps);
  }

  /**
   * A function of the eigenvalues of symmetric matrices, {@code U diag(f(λ)) Uᵀ}. {@link
   * SpectralFunction} also has its gradient.
   *
   * @param a [N, n, n] or [n, n]
   * @param f the function, for eigenvalues of any sign
   * @return symmetric matrices of the same shape and type
   * @throws ArithmeticException if f is not finite at an eigenvalue, or the result too large for
   *     the type
   */
  public static INDArray function(INDArray a, DoubleUnaryOperator f) {
    Objects.requireNonNull(f, "f");
    SpectralFunction function =
        SpectralFunction.of(f, x -> Double.NaN); // only its values are asked for
    return SpdMetric.inStack(a, stack -> function.apply(SymmetricEigen.of(stack)));
  }

  /**
   * The largest {@code |A_ij − A_ji|}.
   *
   * @param a [n, n], or [N, n, n] for the largest of a stack
   * @return zero for a symmetric matrix, NaN if A has one
   */
  public static double asymmetry(INDArray a) {
    Arguments.squares(a, "a");
    INDArray difference = a.sub(Matrices.transpose(a));
    // The largest absolute value would hide a NaN; the norm does not.
    double norm = difference.norm2Number().doubleValue();
    return Double.isNaN(norm) ? norm : difference.amaxNumber().doubleValue();
  }

  /**
   * The eigenvalues of the symmetric part of a matrix, smallest first, computed in double
   * precision.
   *
   * @param a [n, n], finite
   * @return n eigenvalues
   */
  public static double[] eigenvalues(INDArray a) {
    Matrices.requireFinite(Arguments.square(a, "a"), "a");
    return SymmetricEigen.valuesOf(a).toDoubleVector();
  }

  /**
   * The smallest eigenvalue of the symmetric part of a matrix.
   *
   * @param a [n, n], or [N, n, n] for the smallest of a stack, finite
   * @return λmin; positive exactly for positive definite matrices
   */
  public static double smallestEigenvalue(INDArray a) {
    return each(a).mapToDouble(matrix -> eigenvalues(matrix)[0]).min().orElseThrow();
  }

  /**
   * The condition number {@code λmax / λmin} of a positive definite matrix.
   *
   * @param a [n, n], or [N, n, n] for the largest of a stack, finite
   * @return at least 1; infinity if an eigenvalue is not positive
   */
  public static double conditionNumber(INDArray a) {
    return each(a).mapToDouble(matrix -> condition(eigenvalues(matrix))).max().orElseThrow();
  }

  private static double condition(double[] values) {
    return values[0] > 0 ? values[values.length - 1] / values[0] : Double.POSITIVE_INFINITY;
  }

  /**
   * Says why a matrix is not symmetric positive definite, or not all those of a stack are.
   *
   * @param a any array
   * @param symmetryTolerance the largest {@link #asymmetry} to accept
   * @return the reason, or nothing if A is symmetric positive definite
   */
  public static Optional<String> check(INDArray a, double symmetryTolerance) {
    Objects.requireNonNull(a, "a");
    Arguments.atLeast(symmetryTolerance, 0.0, "symmetryTolerance");
    try {
      Arguments.squares(a, "a");
    } catch (IllegalArgumentException e) {
      return Optional.of(e.getMessage());
    }
    double asymmetry = asymmetry(a);
    if (!(asymmetry <= symmetryTolerance)) {
      return Optional.of(
          "the largest |A_ij − A_ji| is " + asymmetry + ", expected at most " + symmetryTolerance);
    }
    double smallest = smallestEigenvalue(a);
    if (!(smallest > 0)) {
      return Optional.of("the smallest eigenvalue is " + smallest + ", expected it positive");
    }
    return Optional.empty();
  }

  private static Stream<INDArray> each(INDArray a) {
    return Arguments.squares(a, "a").rank() == 2
        ? Stream.of(a)
        : LongStream.range(0, a.size(0)).mapToObj(a::slice);
  }
}
