/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.manifold;

import io.github.spd4j.backend.Algebra;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * What a step along the {@link Stiefel} manifold is made of, in the way that suits a backend.
 *
 * <p>For one thread at a time: an array that a method returns may be overwritten by the next call
 * of any method that returns one.
 */
public interface StiefelGeometry {

  /**
   * The geometry for the present backend.
   *
   * @return a new one
   */
  static StiefelGeometry ofBackend() {
    return Algebra.ofBackend().map(StiefelGeometry::by).orElseGet(ArrayGeometry::new);
  }

  /**
   * The geometry by a library, in arrays that are used again in every step.
   *
   * @param library the library
   * @return a new one
   */
  static StiefelGeometry by(Algebra library) {
    return new StackedGeometry(library);
  }

  /**
   * The gradient on the manifold.
   *
   * @param metric the inner product on the tangent spaces
   * @param w W [n, p] in C order, a point of the manifold; not changed
   * @param g G [n, p] in C order, the partial derivatives by W; not changed
   * @return the gradient at W, a tangent vector [n, p], which may be changed
   */
  INDArray gradient(Metric metric, INDArray w, INDArray g);

  /**
   * Adds a multiple of the {@linkplain Stiefel#projection projection} onto the tangent space at W
   * to a multiple of a vector there.
   *
   * @param kept the factor of T
   * @param target T [n, p] in C order, changed by this method to {@code kept · T + factor · P_W(Z)}
   * @param factor the factor of the projection
   * @param w W [n, p] in C order, a point of the manifold; not changed
   * @param z Z [n, p] in C order, any matrix; not changed
   */
  void addProjection(double kept, INDArray target, double factor, INDArray w, INDArray z);

  /**
   * A vector divided by a number.
   *
   * @param vector [n, p] in C order; not changed
   * @param divisor a number
   * @return [n, p]
   */
  INDArray quotient(INDArray vector, double divisor);

  /**
   * The retraction of a multiple of a tangent vector.
   *
   * @param retraction the way back to the manifold
   * @param w W [n, p] in C order, a point of the manifold; not changed, and no array that this
   *     method returned
   * @param t a factor
   * @param tangent ξ [n, p] in C order, a tangent vector at W; not changed
   * @return the point of the manifold that tξ leads to [n, p]
   * @throws ArithmeticException if it leads to none, with the reason
   */
  INDArray retract(Retraction retraction, INDArray w, double t, INDArray tangent);

  /**
   * {@code ‖A‖_F²}.
   *
   * @param a any array
   * @return the sum of the squares, which is not finite if one of the numbers is not
   */
  double squaredNorm(INDArray a);

  /**
   * Reads a few numbers.
   *
   * @param vector an array without gaps
   * @param from the place of the first
   * @param count how many
   * @return the numbers
   */
  double[] read(INDArray vector, long from, int count);

  /**
   * Writes a few numbers.
   *
   * @param vector an array without gaps; changed
   * @param from the place of the first
   * @param numbers the numbers
   */
  void write(INDArray vector, long from, double... numbers);
}
