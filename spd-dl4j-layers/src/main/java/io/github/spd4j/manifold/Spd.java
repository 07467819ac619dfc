/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.manifold;

import io.github.spd4j.linalg.Matrices;
import io.github.spd4j.linalg.SpectralFunction;
import io.github.spd4j.linalg.SymmetricEigen;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.DoubleUnaryOperator;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/** Symmetric positive definite matrices: what they are, and how far a matrix is from one. */
public final class Spd {

  /** Of eigenvalues that are known to be positive. */
  static final SpectralFunction LOGARITHM = SpectralFunction.logarithm(Double.MIN_NORMAL);

  private Spd() {}

  /**
   * The logarithms of positive definite matrices.
   *
   * @param a [N, n, n] or [n, n]
   * @return symmetric matrices of the same shape and type
   * @throws ArithmeticException if a matrix is not positive definite
   */
  public static INDArray logarithm(INDArray a) {
    return SpdMetric.inStack(a, stack -> LOGARITHM.apply(SymmetricEigen.ofPositiveDefinite(stack)));
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
    SpectralFunction power = SpectralFunction.power(exponent, Double.MIN_NORMAL);
    return SpdMetric.inStack(a, stack -> power.apply(SymmetricEigen.ofPositiveDefinite(stack)));
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
    SpectralFunction function =
        SpectralFunction.of(f, x -> Double.NaN); // only its values are asked for
    return SpdMetric.inStack(a, stack -> function.apply(SymmetricEigen.of(stack)));
  }

  /**
   * The largest {@code |A_ij − A_ji|}.
   *
   * @param a [n, n]
   * @return zero for a symmetric matrix, NaN if A has one
   */
  public static double asymmetry(INDArray a) {
    requireSquare(a);
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
    requireSquare(a);
    if (!Double.isFinite(a.castTo(DataType.DOUBLE).norm2Number().doubleValue())) {
      throw new IllegalArgumentException("expected a finite matrix, got NaN or infinity in it");
    }
    return SymmetricEigen.valuesOf(a).toDoubleVector();
  }

  /**
   * The smallest eigenvalue of the symmetric part of a matrix.
   *
   * @param a [n, n], finite
   * @return λmin; positive exactly for a positive definite matrix
   */
  public static double smallestEigenvalue(INDArray a) {
    return eigenvalues(a)[0];
  }

  /**
   * The condition number {@code λmax / λmin} of a positive definite matrix.
   *
   * @param a [n, n], finite
   * @return at least 1; infinity if the smallest eigenvalue is not positive
   */
  public static double conditionNumber(INDArray a) {
    double[] values = eigenvalues(a);
    return values[0] > 0 ? values[values.length - 1] / values[0] : Double.POSITIVE_INFINITY;
  }

  /**
   * Says why a matrix is not symmetric positive definite.
   *
   * @param a any array
   * @param symmetryTolerance the largest {@link #asymmetry} to accept
   * @return the reason, or nothing if A is symmetric positive definite
   */
  public static Optional<String> check(INDArray a, double symmetryTolerance) {
    if (!isSquare(a)) {
      return Optional.of("expected a square matrix, got shape " + Arrays.toString(a.shape()));
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

  private static boolean isSquare(INDArray a) {
    return a.rank() == 2 && a.rows() == a.columns();
  }

  private static void requireSquare(INDArray a) {
    if (!isSquare(a)) {
      throw new IllegalArgumentException(
          "expected a square matrix, got shape " + Arrays.toString(a.shape()));
    }
  }
}
