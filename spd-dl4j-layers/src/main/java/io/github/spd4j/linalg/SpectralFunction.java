/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.linalg;

import io.github.spd4j.internal.backend.Arguments;
import io.github.spd4j.internal.backend.Definitions;
import io.github.spd4j.internal.backend.host.HostDoubles;
import io.github.spd4j.internal.backend.host.Workers;
import java.util.Objects;
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

    SDVariable defineSlope(SameDiff sd, SDVariable x);
  }

  /**
   * Any differentiable function of eigenvalues of any sign, for {@link #apply} and {@link
   * #backward}.
   *
   * @param f the function
   * @param slope its derivative f'
   * @return the function, which {@link #define} refuses
   */
  public static SpectralFunction of(DoubleUnaryOperator f, DoubleUnaryOperator slope) {
    UnaryOperator<SDVariable> none =
        x -> {
          throw new IllegalStateException(
              "expected definitions of f and its slope in SameDiff, got none: give them to"
                  + " SpectralFunction.of(f, slope, definition, slopeDefinition)");
        };
    return of(f, slope, none, none);
  }

  /**
   * Any differentiable function of eigenvalues of any sign, for SameDiff too.
   *
   * @param f the function
   * @param slope its derivative f'
   * @param definition f of each number in SameDiff
   * @param slopeDefinition f' of each number in SameDiff
   * @return the function
   */
  public static SpectralFunction of(
      DoubleUnaryOperator f,
      DoubleUnaryOperator slope,
      UnaryOperator<SDVariable> definition,
      UnaryOperator<SDVariable> slopeDefinition) {
    Objects.requireNonNull(f, "f");
    Objects.requireNonNull(slope, "slope");
    Objects.requireNonNull(definition, "definition");
    Objects.requireNonNull(slopeDefinition, "slopeDefinition");
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

          @Override
          public SDVariable defineSlope(SameDiff sd, SDVariable x) {
            return slopeDefinition.apply(x);
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
    Arguments.finite(floor, "floor");
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

          @Override
          public SDVariable defineSlope(SameDiff sd, SDVariable x) {
            return sd.onesLike(x);
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

          @Override
          public SDVariable defineSlope(SameDiff sd, SDVariable x) {
            return x.rdiv(1);
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
    Arguments.finite(exponent, "exponent");
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

          @Override
          public SDVariable defineSlope(SameDiff sd, SDVariable x) {
            return sd.math().pow(x, exponent - 1).mul(exponent);
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

          @Override
          public SDVariable defineSlope(SameDiff sd, SDVariable x) {
            return sd.math().exp(x);
          }
        });
  }

  private static void requirePositive(double floor) {
    if (!(floor > 0) || Double.isInfinite(floor)) {
      throw Arguments.refused("floor", "a floor greater than 0", floor);
    }
  }

  /**
   * Defines the function in SameDiff, which has singular values but no eigenvalues: those of {@code
   * A + ‖A‖I} are both. Nor has it a gradient of them: {@code f(A) = f(A₀) + U (Λ ∘ (Uᵀ (A − A₀)
   * U)) Uᵀ}, where A₀, U and Λ are those of A as constants.
   *
   * @param sd where to define it
   * @param matrices symmetric matrices A [N, n, n]
   * @param n the number of rows
   * @return f(A) [N, n, n]
   */
  public SDVariable define(SameDiff sd, SDVariable matrices, long n) {
    Objects.requireNonNull(sd, "sd");
    Arguments.type(Objects.requireNonNull(matrices, "matrices").dataType(), "matrices");
    Arguments.atLeast(n, 1, "n");
    SDVariable a = matrices.castTo(DataType.DOUBLE);
    SDVariable floors = sd.constant(Nd4j.scalar(DataType.DOUBLE, floor));
    if (n == 1) { // which ND4J's singular value decomposition refuses
      return scalar.define(sd, sd.math().max(a, floors)).castTo(matrices.dataType());
    }
    SDVariable known = Definitions.held(sd, a);
    SDVariable squares = sd.reshape(known.mul(known), -1, 1, n * n).sum(true, 2);
    SDVariable norm = sd.math().sqrt(squares);
    SDVariable identity = Definitions.identity(sd, DataType.DOUBLE, n);
    SDVariable[] parts =
        new Svd(sd, known.add(norm.mul(identity)), false, true, NO_DIVISION).outputVariables();
    SDVariable eigenvalues = sd.reshape(parts[0], -1, 1, n).sub(norm);
    SDVariable u = parts[1].add(parts[2].mul(0)); // SameDiff takes what nobody reads for a loss
    SDVariable raised = scalar.define(sd, sd.math().max(eigenvalues, floors));
    SDVariable value = sd.mmul(u.mul(raised), u, false, true, false);

    SDVariable change = Definitions.symmetric(sd, a.sub(known));
    SDVariable turned = sd.mmul(sd.mmul(u, change, true, false, false), u, false, false, false);
    SDVariable weighted = turned.mul(defineLoewner(sd, eigenvalues, floors));
    SDVariable back = sd.mmul(sd.mmul(u, weighted, false, false, false), u, false, true, false);
    return value.add(back).castTo(matrices.dataType());
  }

  /** Λ [N, n, n] of eigenvalues [N, 1, n]: {@link #dividedDifference} of each pair. */
  private SDVariable defineLoewner(SameDiff sd, SDVariable eigenvalues, SDVariable floors) {
    SDVariable a = Definitions.transposed(sd, eigenvalues);
    SDVariable distance = a.sub(eigenvalues);
    SDVariable size = sd.math().max(sd.math().abs(a), sd.math().abs(eigenvalues));
    SDVariable equal = sd.eq(distance, 0).castTo(DataType.DOUBLE);
    SDVariable divisor = distance.add(equal);
    SDVariable raised = sd.math().max(eigenvalues, floors);
    SDVariable raisedA = Definitions.transposed(sd, raised);
    SDVariable above = sd.gt(eigenvalues, floors).castTo(DataType.DOUBLE);
    SDVariable kept = raisedA.sub(raised).div(divisor).add(above.mul(equal));
    SDVariable slopes = scalar.defineSlope(sd, raisedA.add(raised).mul(0.5)).mul(kept);
    SDVariable values = scalar.define(sd, raised);
    SDVariable differences = Definitions.transposed(sd, values).sub(values).div(divisor);
    SDVariable close = sd.lte(sd.math().abs(distance), size.mul(CLOSE)).castTo(DataType.DOUBLE);
    return differences.add(close.mul(slopes.sub(differences)));
  }

  /**
   * Applies the function.
   *
   * @param a the decomposition of A, [n, n] or [N, n, n]
   * @return f(A), DOUBLE, symmetric to the last digit: so are sums of such matrices, even where
   *     hardly anything is left of them
   */
  public INDArray apply(SymmetricEigen a) {
    Objects.requireNonNull(a, "a");
    double[] raised = HostDoubles.of(a.values());
    for (int i = 0; i < raised.length; i++) {
      raised[i] = scalar.at(Math.max(raised[i], floor));
    }
    INDArray diagonal = Nd4j.createFromArray(raised).reshape(a.values().shape());
    diagonal = Nd4j.expandDims(diagonal, diagonal.rank() - 1);
    return Matrices.symmetricPart(Matrices.transposeSecond(a.vectors().mul(diagonal), a.vectors()));
  }

  /**
   * The gradient with respect to A.
   *
   * @param a the decomposition of A, [n, n] or [N, n, n]
   * @param gradient the gradient with respect to f(A), unchanged by this method; only its symmetric
   *     part counts
   * @return a new DOUBLE array, symmetric but for rounding
   */
  public INDArray backward(SymmetricEigen a, INDArray gradient) {
    INDArray u = Objects.requireNonNull(a, "a").vectors();
    Arguments.shaped(gradient, "gradient", u);
    INDArray exact = Matrices.symmetricPart(gradient.castTo(u.dataType()));
    INDArray rotated = Matrices.product(Matrices.transposeFirst(u, exact), u);
    rotated.muli(loewner(a.values()).reshape(rotated.shape()));
    return Matrices.transposeSecond(Matrices.product(u, rotated), u);
  }

  /** Λ of each matrix, one after the other. */
  private INDArray loewner(INDArray eigenvalues) {
    int n = Math.toIntExact(eigenvalues.size(-1));
    double[] values = HostDoubles.of(eigenvalues);
    double[] entries = new double[values.length * n];
    Workers.share(
        values.length / n,
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
