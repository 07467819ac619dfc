/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.backend;

import java.util.function.Supplier;
import java.util.stream.DoubleStream;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * What operators are written in: work on stacks of small matrices.
 *
 * <p>{@link Nd4jAlgebra} does it by ND4J's own operations, {@link HostAlgebra} by the CPU's BLAS
 * and loops. A library for a device is found as a service; {@code spd-dl4j-cuda} has one for NVIDIA
 * GPUs. {@link Backend} chooses.
 *
 * <p>Arrays are of one type and in C order. Results may be arguments only where a method says so.
 */
public interface Algebra {

  /**
   * Whether it works on the arrays of the present ND4J backend.
   *
   * @return true if so
   */
  boolean isForBackend();

  /**
   * Whether arrays lie in the memory of a device. The host then waits for it to read a number, so
   * that few numbers should be read.
   *
   * @return true on a GPU
   */
  boolean isOnDevice();

  /**
   * Is called with every forward pass of a layer, so that a device can give back memory of arrays
   * that nobody uses any more.
   */
  default void relieve() {
    // what lies in main memory is given back by JavaCPP
  }

  /**
   * {@code C ← α A B + β C}, for each matrix of a stack.
   *
   * @param alpha α
   * @param a m×k
   * @param b k×n, of the same type
   * @param beta β; 0 if C need not be initialised
   * @param c m×n, of the same type, not transposed; overwritten
   * @param count how many products
   */
  void multiply(double alpha, MatrixStack a, MatrixStack b, double beta, MatrixStack c, int count);

  /**
   * {@code C ← C + α A}.
   *
   * @param alpha α
   * @param a an array in C order; not changed unless it is C
   * @param c of the same shape, in C order; changed
   */
  void add(double alpha, INDArray a, INDArray c);

  /**
   * Multiplies each row of a matrix by its factor.
   *
   * @param matrix [m, n] in C order; not changed unless it is the result
   * @param factors m numbers of the same type, without gaps
   * @param products [m, n] in C order; overwritten
   */
  void scaleRows(INDArray matrix, INDArray factors, INDArray products);

  /**
   * Multiplies each column of a matrix by its factor.
   *
   * @param matrix [m, n] in C order; not changed unless it is the result
   * @param factors n numbers of the same type, without gaps
   * @param products [m, n] in C order; overwritten
   */
  void scaleColumns(INDArray matrix, INDArray factors, INDArray products);

  /**
   * Copies elements to another array of the same type; both are in C order.
   *
   * @param source the array to copy from
   * @param from the place of the first element in it
   * @param target the array to copy to
   * @param to the place of the first element in it
   * @param step how far apart the elements are in the target; in the source it is 1
   * @param count how many
   */
  void copy(INDArray source, long from, INDArray target, long to, int step, int count);

  /**
   * Copies an array to another of the same shape and type.
   *
   * @param source any array
   * @param target another; overwritten
   */
  void copy(INDArray source, INDArray target);

  /**
   * Copies the upper triangles of square matrices, row by row, to vectors.
   *
   * @param matrices [N, n, n] in C order; not changed
   * @param vectors [N, n(n+1)/2] in C order; overwritten
   */
  void packTriangles(INDArray matrices, INDArray vectors);

  /**
   * Copies vectors to symmetric matrices: to their upper triangles, row by row, and to the lower
   * ones.
   *
   * @param vectors [N, n(n+1)/2] in C order; not changed
   * @param matrices [N, n, n] in C order; overwritten
   */
  void unpackSymmetric(INDArray vectors, INDArray matrices);

  /**
   * {@code B ← α (A + Aᵀ)}, for each matrix of a stack.
   *
   * @param matrices A [N, n, n] in C order; not changed
   * @param alpha α
   * @param sums B [N, n, n] in C order, another array; overwritten
   */
  void addTransposed(INDArray matrices, double alpha, INDArray sums);

  /**
   * Replaces Gram matrices G by squared distances {@code D_ij = max(0, κ (G_ii + G_jj) − 2 G_ij)}.
   *
   * @param gram G [N, n, n] in C order; overwritten by D
   * @param kept κ, slightly less than 1: what is not more than rounding becomes 0
   * @param norms [N, n] in C order; overwritten by the diagonals of G
   * @param sums [N, n] in C order; overwritten by the sums of the distances {@code √D_ij} over j
   */
  void squaredDistances(INDArray gram, double kept, INDArray norms, INDArray sums);

  /**
   * {@code A_ij ← exp(f A_ij)}, with a factor f for each matrix.
   *
   * @param matrices A [N, m, n] in C order; changed
   * @param factors f [N], without gaps
   */
  void exponentials(INDArray matrices, INDArray factors);

  /**
   * {@code v ← w v / (φ + r)} with {@code r = √(|w v| + φ²)}, for each entry of each vector.
   *
   * @param vectors v [N, n] in C order; changed
   * @param weights w, n numbers without gaps
   * @param floor φ, positive
   * @param roots [N, n] in C order; overwritten by r
   */
  void signedRoots(INDArray vectors, INDArray weights, double floor, INDArray roots);

  /**
   * A multiple of the inner product of each row of a matrix with the same row of another.
   *
   * @param alpha what the inner products are multiplied by
   * @param a [m, n] in C order; not changed
   * @param b [m, n] in C order; not changed
   * @param products m numbers without gaps; overwritten
   */
  void rowProducts(double alpha, INDArray a, INDArray b, INDArray products);

  /**
   * {@code x ← s / √x}, and 0 where x is not above a bound.
   *
   * @param numbers x, without gaps; changed
   * @param factor s
   * @param bound the bound, not negative
   */
  void inverseRoots(INDArray numbers, double factor, double bound);

  /**
   * {@code x ← s / x²}, and 0 where x is not above a bound.
   *
   * @param numbers x, without gaps; changed
   * @param factor s
   * @param bound the bound, not negative
   */
  void inverseSquares(INDArray numbers, double factor, double bound);

  /**
   * Decomposes symmetric matrices, {@code A = U diag(λ) Uᵀ}.
   *
   * @param matrices A [N, n, n] in C order, DOUBLE and finite; overwritten
   * @param values [N, n] in C order; overwritten by λ, the smallest first, or by NaN where none
   *     were found
   * @param vectors [N, n, n] in C order; overwritten by U, an eigenvector a column
   */
  void eigen(INDArray matrices, INDArray values, INDArray vectors);

  /**
   * Normalises maps by their neighbours.
   *
   * @param maps x [N, C, …]
   * @param response how
   * @param output y; may not be the maps
   */
  void normalize(INDArray maps, LocalResponse response, INDArray output);

  /**
   * The gradient of {@link #normalize}: {@code ∂L/∂x_i = g_i s_i^−β − 2αβ x_i Σ g_j x_j s_j^−β−1}.
   *
   * @param maps x [N, C, …]
   * @param delta g, the gradient by the output
   * @param response how
   * @param gradient computed; may not be one of the others
   */
  void normalizeGradient(INDArray maps, INDArray delta, LocalResponse response, INDArray gradient);

  /**
   * The sum of the squares of numbers, which is read at once.
   *
   * @param numbers any array in C order
   * @param step how far apart the numbers are that count; the first does
   * @return the sum; not finite if one of the numbers is not, or if their squares overflow
   */
  default double squaredNorm(INDArray numbers, long step) {
    return DoubleStream.of(squares(numbers, step).get()).sum();
  }

  /**
   * What {@link #squaredNorm} reads, to be read later. A device waits once for all that was asked
   * for before the first is read. The numbers may be changed in between.
   *
   * @param numbers any array in C order
   * @param step how far apart the numbers are that count; the first does
   * @return sums that add up to the sum of the squares; to be read once
   */
  Supplier<double[]> squares(INDArray numbers, long step);

  /**
   * How far matrices are from symmetric: the largest {@code |A_ij − A_ji|} by the largest {@code
   * |A_ij|} of each, as far as some rows and the same columns meet. To be read later, as {@link
   * #squares} is.
   *
   * @param matrices A [N, n, n] in C order
   * @param step how far apart the rows are that count; the first does
   * @return N numbers, 0 where all entries are; what is not finite is passed over. To be read once
   */
  Supplier<double[]> asymmetries(INDArray matrices, long step);
}
