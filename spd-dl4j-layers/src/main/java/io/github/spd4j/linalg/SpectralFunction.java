/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.linalg;

import io.github.spd4j.backend.host.HostDoubles;
import io.github.spd4j.backend.host.Workers;
import java.util.function.DoubleUnaryOperator;
import java.util.function.UnaryOperator;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.api.ops.impl.transforms.custom.Svd;
import org.nd4j.linalg.factory.Nd4j;

/**
 * A function of symmetric matrices that acts on their eigenvalues, {@code f(A) = U diag(f(λ)) Uᵀ}.
 *
 * <p>Backward, with the symmetric part S of the gradient: {@code ∂L/∂A = U (Λ ∘ (Uᵀ S U)) Uᵀ},
 * where Λ is the Loewner matrix {@code Λ_ij = (f(λ_i) − f(λ_j)) / (λ_i − λ_j)}, and f'(λ_i) where
 * the two are equal (Daleckii and Krein). It needs no differences of eigenvectors and is right for
 * repeated eigenvalues.
 */
public final class SpectralFunction {

  /** ND4J's singular value decomposition fails where it divides a matrix: from this size on. */
  private static final int NO_DIVISION = 1 << 20;

  /**
   * Of numbers that are closer, relative to their size, the difference of f loses more digits than
   * the slope between them is wrong by: about the cube root of the rounding.
   */
  private static final double CLOSE = 6e-6;

  private final double floor;
  private final Scalar scalar;

  private SpectralFunction(double floor, Scalar scalar) {
    this.floor = floor;
    this.scalar = scalar;
  }

  /** What becomes of an eigenvalue that is not below the floor. */
  private interface Scalar {
    double at(double x);

    /** f'(x). */
    double slopeAt(double x);

    /** f(x) − f(y); to the last digit, however close they are. */
    double difference(double x, double y);

    SDVariable define(SameDiff sd, SDVariable x);
  }

  /**
   * Any differentiable function of eigenvalues of any sign.
   *
   * @param f the function
   * @param slope its derivative f'
   * @param definition f of each number in SameDiff, which {@link #define} needs; {@link #apply} and
   *     {@link #backward} do not
   * @return the function
   */
  public static SpectralFunction of(
      DoubleUnaryOperator f, DoubleUnaryOperator slope, UnaryOperator<SDVariable> definition) {
    return new SpectralFunction(
        Double.NEGATIVE_INFINITY,
        new Scalar() {
          @Override
          public double at(double x) {
            return f.applyAsDouble(x);
          }

          @Override
          public double slopeAt(double x) {
            return slope.applyAsDouble(x);
          }

          @Override
          public double difference(double x, double y) {
            boolean close = Math.abs(x - y) <= CLOSE * Math.max(Math.abs(x), Math.abs(y));
            return close ? (x - y) * slopeAt((x + y) / 2) : at(x) - at(y);
          }

          @Override
          public SDVariable define(SameDiff sd, SDVariable x) {
            return definition.apply(x);
          }
        });
  }

  /**
   * {@code f(λ) = max(λ, ε)}.
   *
   * @param floor ε
   * @return the function
   */
  public static SpectralFunction rectifier(double floor) {
    return new SpectralFunction(
        floor,
        new Scalar() {
          @Override
          public double at(double x) {
            return x;
          }

          @Override
          public double slopeAt(double x) {
            return 1;
          }

          @Override
          public double difference(double x, double y) {
            return x - y;
          }

          @Override
          public SDVariable define(SameDiff sd, SDVariable x) {
            return x;
          }
        });
  }

  /**
   * {@code f(λ) = log(max(λ, ε))}.
   *
   * @param floor ε, greater than 0
   * @return the function
   */
  public static SpectralFunction logarithm(double floor) {
    requirePositive(floor);
    return new SpectralFunction(
        floor,
        new Scalar() {
          @Override
          public double at(double x) {
            return Math.log(x);
          }

          @Override
          public double slopeAt(double x) {
            return 1 / x;
          }

          @Override
          public double difference(double x, double y) {
            return Math.log1p((x - y) / y);
          }

          @Override
          public SDVariable define(SameDiff sd, SDVariable x) {
            return sd.math().log(x);
          }
        });
  }

  /**
   * {@code f(λ) = max(λ, ε)^α}.
   *
   * @param exponent α, any number
   * @param floor ε, greater than 0
   * @return the function
   */
  public static SpectralFunction power(double exponent, double floor) {
    requirePositive(floor);
    return new SpectralFunction(
        floor,
        new Scalar() {
          @Override
          public double at(double x) {
            return Math.pow(x, exponent);
          }

          @Override
          public double slopeAt(double x) {
            return exponent * Math.pow(x, exponent - 1);
          }

          @Override
          public double difference(double x, double y) {
            return at(y) * Math.expm1(exponent * Math.log1p((x - y) / y));
          }

          @Override
          public SDVariable define(SameDiff sd, SDVariable x) {
            return sd.math().pow(x, exponent);
          }
        });
  }

  /**
   * {@code f(λ) = exp(λ)}, of eigenvalues of any sign.
   *
   * @return the function
   */
  public static SpectralFunction exponential() {
    return new SpectralFunction(
        Double.NEGATIVE_INFINITY,
        new Scalar() {
          @Override
          public double at(double x) {
            return Math.exp(x);
          }

          @Override
          public double slopeAt(double x) {
            return Math.exp(x);
          }

          @Override
          public double difference(double x, double y) {
            double less = -Math.abs(x - y); // of the other sign, expm1 may overflow
            return Math.signum(y - x) * Math.exp(Math.max(x, y)) * Math.expm1(less);
          }

          @Override
          public SDVariable define(SameDiff sd, SDVariable x) {
            return sd.math().exp(x);
          }
        });
  }

  private static void requirePositive(double floor) {
    if (!(floor > 0)) {
      throw new IllegalArgumentException("expected a floor greater than 0, got " + floor);
    }
  }

  /**
   * Defines the function in SameDiff, which has singular values but no eigenvalues: those of {@code
   * A + ‖A‖I} are both.
   *
   * @param sd where to define it
   * @param matrices symmetric matrices A [N, n, n]
   * @param n the number of rows
   * @return f(A) [N, n, n]
   */
  public SDVariable define(SameDiff sd, SDVariable matrices, long n) {
    SDVariable a = matrices.castTo(DataType.DOUBLE);
    SDVariable floors = sd.constant(Nd4j.scalar(DataType.DOUBLE, floor));
    if (n == 1) { // which ND4J's singular value decomposition refuses
      return scalar.define(sd, sd.math().max(a, floors)).castTo(matrices.dataType());
    }
    SDVariable squares = sd.reshape(a.mul(a), -1, 1, n * n).sum(true, 2);
    SDVariable norm = sd.math().sqrt(squares);
    SDVariable identity = sd.constant(Nd4j.eye(n).castTo(DataType.DOUBLE).reshape(1, n, n));
    SDVariable[] parts =
        new Svd(sd, a.add(norm.mul(identity)), false, true, NO_DIVISION).outputVariables();
    SDVariable eigenvalues = sd.reshape(parts[0], -1, 1, n).sub(norm);
    SDVariable u = parts[1];
    SDVariable raised = scalar.define(sd, sd.math().max(eigenvalues, floors));
    return sd.mmul(u.mul(raised), u, false, true, false).castTo(matrices.dataType());
  }

  /**
   * Applies the function.
   *
   * @param a the decomposition of A [N, n, n]
   * @return f(A) [N, n, n], DOUBLE, symmetric to the last digit: so are sums of such matrices, even
   *     where hardly anything is left of them
   */
  public INDArray apply(SymmetricEigen a) {
    long n = a.values().size(1);
    double[] raised = HostDoubles.of(a.values());
    for (int i = 0; i < raised.length; i++) {
      raised[i] = scalar.at(Math.max(raised[i], floor));
    }
    INDArray diagonal = Nd4j.createFromArray(raised).reshape(-1, 1, n);
    return Matrices.symmetricPart(Matrices.transposeSecond(a.vectors().mul(diagonal), a.vectors()));
  }

  /**
   * The gradient with respect to A.
   *
   * @param a the decomposition of A [N, n, n]
   * @param gradient the gradient with respect to f(A) [N, n, n], DOUBLE, unchanged by this method;
   *     only its symmetric part counts
   * @return a new array [N, n, n], symmetric but for rounding
   */
  public INDArray backward(SymmetricEigen a, INDArray gradient) {
    INDArray u = a.vectors();
    INDArray rotated =
        Matrices.product(Matrices.transposeFirst(u, Matrices.symmetricPart(gradient)), u);
    rotated.muli(loewner(a.values()).reshape(rotated.shape()));
    return Matrices.transposeSecond(Matrices.product(u, rotated), u);
  }

  /** Λ of each matrix, one after the other. */
  private INDArray loewner(INDArray eigenvalues) {
    int n = Math.toIntExact(eigenvalues.size(1));
    double[] values = HostDoubles.of(eigenvalues);
    double[] entries = new double[values.length * n];
    Workers.share(
        Math.toIntExact(eigenvalues.size(0)),
        (worker, from, to) -> {
          for (int row = from * n; row < to * n; row++) {
            int first = row / n * n; // of its matrix
            for (int other = first; other <= row; other++) {
              double entry = dividedDifference(values[row], values[other]);
              entries[row * n + other - first] = entry;
              entries[other * n + row - first] = entry;
            }
          }
        });
    return Nd4j.createFromArray(entries);
  }

  /** (f(a) − f(b)) / (a − b), or f'(a) where they are equal. */
  double dividedDifference(double a, double b) {
    if (a == b) {
      return a > floor ? scalar.slopeAt(a) : 0;
    }
    return scalar.difference(Math.max(a, floor), Math.max(b, floor)) / (a - b);
  }
}
