/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.manifold;

import io.github.spd4j.internal.backend.Algebra;
import io.github.spd4j.internal.backend.Arguments;
import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.internal.backend.MatrixStack;
import io.github.spd4j.internal.backend.Scratch;
import io.github.spd4j.internal.operators.orthonormal.FactorBatch;
import io.github.spd4j.internal.operators.orthonormal.OrthonormalFactor;
import io.github.spd4j.linalg.Matrices;
import io.github.spd4j.linalg.NumericPolicy;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;
import java.util.stream.DoubleStream;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * What a step along the {@link Stiefel} manifold is made of, in arrays that are used again.
 *
 * <p>For one thread at a time: an array that a method returns may be overwritten by the next call
 * of any method that returns one. Arguments are [n, p] in C order, and not changed unless a method
 * says so. Those of another type or shape than W are refused by name; NaN and infinity are not
 * looked for.
 */
public final class StiefelGeometry {

  private final Backend backend;
  private final Algebra algebra;
  private final OrthonormalFactor factor;
  private final Scratch scratch = new Scratch();
  private final Map<String, FactorBatch> factors = new HashMap<>();

  /** What the distance from the manifold is estimated with [p, 1]. */
  private INDArray probe;

  /** The geometry, computed as the layer or updater that makes it computes. */
  public StiefelGeometry() {
    this.backend = Backend.current();
    this.algebra = backend.algebra();
    this.factor = OrthonormalFactor.on(backend);
  }

  /**
   * The gradient on the manifold: {@code G − W GᵀW} in the canonical metric, {@code G − W sym(WᵀG)}
   * in the Euclidean.
   *
   * @param metric the inner product on the tangent spaces
   * @param w W, a point of the manifold
   * @param g G, the partial derivatives by W
   * @return the gradient at W, a tangent vector, which may be changed
   */
  public INDArray gradient(StiefelMetric metric, INDArray w, INDArray g) {
    Objects.requireNonNull(metric, "metric");
    like(g, "g", w);
    INDArray tangent = scratch.array(w.dataType(), "tangent", w.shape());
    algebra.copy(g, tangent);
    INDArray onto =
        metric == StiefelMetric.CANONICAL ? transposedProduct(g, w) : symmetricPart(w, g);
    multiply(-1, MatrixStack.of(w), onto, 1, tangent);
    return tangent;
  }

  /**
   * The {@linkplain #gradient(StiefelMetric, INDArray, INDArray) gradient} on the manifold, plus a
   * multiple of the {@linkplain Stiefel#projection projection} of a vector from elsewhere. With
   * both at once there is a product less to compute.
   *
   * @param metric the inner product on the tangent spaces
   * @param w W, a point of the manifold
   * @param g G, the partial derivatives by W
   * @param factor the factor of the projection
   * @param v V, any matrix
   * @return the sum, a tangent vector at W, which may be changed
   */
  public INDArray gradient(
      StiefelMetric metric, INDArray w, INDArray g, double factor, INDArray v) {
    Objects.requireNonNull(metric, "metric");
    like(g, "g", w);
    Arguments.finite(factor, "factor");
    like(v, "v", w);
    INDArray tangent = scratch.array(w.dataType(), "tangent", w.shape());
    algebra.copy(g, tangent);
    algebra.add(factor, v, tangent);
    INDArray onto;
    if (metric == StiefelMetric.CANONICAL) {
      INDArray ofVector = symmetricPart(w, v);
      onto = transposedProduct(g, w);
      algebra.add(factor, ofVector, onto);
    } else {
      onto = symmetricPart(w, tangent);
    }
    multiply(-1, MatrixStack.of(w), onto, 1, tangent);
    return tangent;
  }

  /** Native code would read what is beyond the end of an array. */
  private static void like(INDArray matrix, String name, INDArray w) {
    Arguments.matrix(w, "w");
    if (Arguments.shaped(matrix, name, w).dataType() != w.dataType()) {
      throw Arguments.refused(name, w.dataType() + " as w", matrix.dataType());
    }
  }

  /** {@code sym(WᵀZ)}. */
  private INDArray symmetricPart(INDArray w, INDArray z) {
    INDArray square = transposedProduct(w, z);
    long p = square.size(0);
    INDArray symmetric = scratch.array(w.dataType(), "symmetric", p, p);
    algebra.addTransposed(square.reshape(1, p, p), 0.5, symmetric.reshape(1, p, p));
    return symmetric;
  }

  /** {@code AᵀB}. */
  private INDArray transposedProduct(INDArray a, INDArray b) {
    INDArray square = scratch.array(a.dataType(), "square", a.size(1), b.size(1));
    multiply(1, MatrixStack.of(a).transpose(), b, 0, square);
    return square;
  }

  private void multiply(double alpha, MatrixStack a, INDArray b, double beta, INDArray c) {
    algebra.multiply(alpha, a, MatrixStack.of(b), beta, MatrixStack.of(c), 1);
  }

  /**
   * Adds a multiple of the {@linkplain Stiefel#projection projection} onto the tangent space at W
   * to a multiple of a vector there.
   *
   * @param kept the factor of T
   * @param target T, changed by this method to {@code kept · T + factor · (Z − W sym(WᵀZ))}
   * @param factor the factor of the projection
   * @param w W, a point of the manifold
   * @param z Z, any matrix
   */
  public void addProjection(double kept, INDArray target, double factor, INDArray w, INDArray z) {
    Arguments.finite(kept, "kept");
    Arguments.finite(factor, "factor");
    like(target, "target", w);
    like(z, "z", w);
    INDArray onto = symmetricPart(w, z);
    if (kept != 1) {
      target.muli(kept);
    }
    algebra.add(factor, z, target);
    multiply(-factor, MatrixStack.of(w), onto, 1, target);
  }

  /**
   * A vector divided by a number.
   *
   * @param vector the vector
   * @param divisor a number
   * @return the quotient
   */
  public INDArray quotient(INDArray vector, double divisor) {
    Arguments.numbers(vector, "vector");
    if (!Double.isFinite(divisor) || divisor == 0) {
      throw Arguments.refused("divisor", "a number other than 0", divisor);
    }
    INDArray quotient = scratch.array(vector.dataType(), "quotient", vector.shape());
    return quotient.assign(vector).divi(divisor);
  }

  /**
   * The retraction of a multiple of a tangent vector.
   *
   * @param retraction the way back to the manifold
   * @param w W, a point of the manifold, and no array that this method returned
   * @param t a factor
   * @param tangent ξ, a tangent vector at W
   * @return the point of the manifold that tξ leads to
   * @throws ArithmeticException if it leads to none, with the reason
   */
  public INDArray retract(Retraction retraction, INDArray w, double t, INDArray tangent) {
    Objects.requireNonNull(retraction, "retraction");
    Arguments.finite(t, "t");
    like(tangent, "tangent", w);
    if (retraction == Retraction.POLAR && !backend.isFused(w.dataType())) {
      // A polar factor is known to be orthonormal from its last step: it is not checked again.
      return factors
          .computeIfAbsent(
              w.dataType() + Arrays.toString(w.shape()),
              size -> new FactorBatch(algebra, w.dataType(), w.size(0), w.size(1)))
          .polarOfSum(w, t, tangent);
    }
    INDArray next = retraction.retract(factor, w, t, tangent, scratch);
    double squares = squaredNorm(next);
    double deviation = Math.abs(squares / next.columns() - 1);
    if (!(deviation <= NumericPolicy.FAILED_RETRACTION)) {
      throw new ArithmeticException("‖W‖² is " + squares + ", expected " + next.columns());
    }
    return next;
  }

  /**
   * {@code ‖A‖_F²}.
   *
   * @param a any array
   * @return the sum of the squares, which is not finite if one of the numbers is not
   */
  public double squaredNorm(INDArray a) {
    return algebra.squaredNorm(MatrixStack.inOrder(Arguments.numbers(a, "a")), 1);
  }

  /**
   * {@link Stiefel#estimatedDistanceFromManifold} of a matrix of the backend, to be read later:
   * {@link Algebra#squares} says why.
   *
   * @param w any matrix
   * @return about zero on the manifold; not finite if W is not. To be read once
   */
  public DoubleSupplier estimatedDistance(INDArray w) {
    Arguments.matrix(w, "w");
    if (!algebra.isOnDevice()) {
      try (Backend.Pass pass = backend.pass()) {
        double distance = Stiefel.estimatedDistanceFromManifold(w);
        return () -> distance;
      }
    }
    if (probe == null || probe.size(0) != w.size(1) || probe.dataType() != w.dataType()) {
      probe = Matrices.probe(w.dataType(), w.columns());
    }
    INDArray product = scratch.array(w.dataType(), "product", w.size(0), 1);
    INDArray difference = scratch.array(w.dataType(), "difference", w.size(1), 1);
    algebra.copy(probe, difference);
    multiply(1, MatrixStack.of(w), probe, 0, product);
    multiply(1, MatrixStack.of(w).transpose(), product, -1, difference);
    Supplier<double[]> squares = algebra.squares(difference, 1);
    return () -> Math.sqrt(DoubleStream.of(squares.get()).sum());
  }

  /**
   * Reads a few numbers, by way of a small array: what is read of an array brings all of it to the
   * host.
   *
   * @param vector an array without gaps
   * @param from the place of the first
   * @param count how many
   * @return the numbers
   */
  public double[] read(INDArray vector, long from, int count) {
    Arguments.atLeast(count, 1, "count");
    requirePlace(vector, from, count);
    INDArray few = scratch.array(vector.dataType(), "few", count);
    algebra.copy(vector, from, few, 0, 1, count);
    return few.toDoubleVector();
  }

  /**
   * Writes a few numbers.
   *
   * @param vector an array without gaps; changed
   * @param from the place of the first
   * @param numbers the numbers
   */
  public void write(INDArray vector, long from, double... numbers) {
    Objects.requireNonNull(numbers, "numbers");
    Arguments.atLeast(numbers.length, 1, "numbers");
    requirePlace(vector, from, numbers.length);
    INDArray few = scratch.array(vector.dataType(), "few", numbers.length);
    for (int i = 0; i < numbers.length; i++) {
      few.putScalar(i, numbers[i]);
    }
    algebra.copy(few, 0, vector, from, 1, numbers.length);
  }

  private static void requirePlace(INDArray vector, long from, int count) {
    long last = Arguments.numbers(vector, "vector").length() - count;
    if (from < 0 || from > last) {
      throw Arguments.refused("from", "a place up to " + last, from);
    }
  }
}
