/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.linalg;

import static org.bytedeco.openblas.global.openblas.LAPACKE_dpotrf;
import static org.bytedeco.openblas.global.openblas.LAPACKE_dtrtri;
import static org.bytedeco.openblas.global.openblas.LAPACK_ROW_MAJOR;

import io.github.spd4j.internal.backend.Arguments;
import io.github.spd4j.internal.backend.MatrixStack;
import io.github.spd4j.internal.backend.host.BlasCheck;
import io.github.spd4j.internal.backend.host.HostDoubles;
import io.github.spd4j.internal.backend.host.Workers;
import java.util.Arrays;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.ops.transforms.Transforms;

/**
 * Cholesky's factors of matrices, A = LLᵀ, by LAPACK in double precision.
 *
 * <p>All functions take single matrices [n, n] or stacks [N, n, n], and return the same shape.
 */
public final class Cholesky {

  private static final byte LOWER = 'L';
  private static final byte NOT_UNIT = 'N';

  private Cholesky() {}

  /**
   * The factors of the symmetric parts of matrices.
   *
   * @param matrices [n, n] or [N, n, n], positive definite
   * @return L, DOUBLE, lower triangles with a positive diagonal and zeros above
   * @throws ArithmeticException if a matrix is not positive definite, which one is said
   * @throws NotFiniteException if there is NaN or infinity in the matrices
   */
  public static INDArray of(INDArray matrices) {
    Arguments.squares(matrices, "matrices");
    INDArray symmetric = Matrices.symmetricPart(matrices.castTo(DataType.DOUBLE));
    return each(
        Matrices.requireFinite(symmetric, "matrices"),
        (a, n) -> LAPACKE_dpotrf(LAPACK_ROW_MAJOR, LOWER, n, a, n),
        "expected a positive definite matrix, got matrix %d of %d, whose Cholesky decomposition"
            + " fails: add a multiple of the identity to it");
  }

  /**
   * The inverses of lower triangles.
   *
   * @param factors L [n, n] or [N, n, n], with a diagonal without zeros
   * @return L⁻¹, DOUBLE
   * @throws ArithmeticException if there is a zero on a diagonal
   * @throws NotFiniteException if there is NaN or infinity in the factors
   */
  public static INDArray inverse(INDArray factors) {
    return each(
        Matrices.requireFinite(Arguments.squares(factors, "factors"), "factors"),
        (a, n) -> LAPACKE_dtrtri(LAPACK_ROW_MAJOR, LOWER, NOT_UNIT, n, a, n),
        "factors: expected a triangle with a diagonal without zeros, got matrix %d of %d, which has one");
  }

  /**
   * The gradient by matrices A of what depends on their factors.
   *
   * <pre>
   * ∂L/∂A = L⁻ᵀ sym(⌊Lᵀ ∂L/∂L⌋) L⁻¹,   ⌊·⌋: what is below the diagonal, and half of that
   * </pre>
   *
   * @param factors L [n, n] or [N, n, n]
   * @param gradient ∂L/∂L; what is above the diagonal does not count
   * @return ∂L/∂A, symmetric, DOUBLE
   */
  public static INDArray backward(INDArray factors, INDArray gradient) {
    INDArray inverse = inverse(factors);
    Arguments.shaped(gradient, "gradient", factors);
    INDArray exact = lower(gradient.castTo(DataType.DOUBLE));
    INDArray half = lowerHalf(Matrices.transposeFirst(factors.castTo(DataType.DOUBLE), exact));
    INDArray inner = Matrices.symmetricPart(half);
    return Matrices.product(Matrices.transposeFirst(inverse, inner), inverse);
  }

  /**
   * The lower triangles of matrices.
   *
   * @param matrices [N, n, n], unchanged
   * @return new matrices with zeros above the diagonal
   */
  static INDArray lower(INDArray matrices) {
    return matrices.mul(weights(matrices, 1));
  }

  /**
   * The lower triangles of matrices, with half of the diagonal: ⌊·⌋.
   *
   * @param matrices [n, n] or [N, n, n], unchanged
   * @return new matrices; a symmetric matrix is the sum of its own and the transposed
   */
  public static INDArray lowerHalf(INDArray matrices) {
    return matrices.mul(weights(Arguments.squares(matrices, "matrices"), 0.5));
  }

  /**
   * Cholesky's factors with the logarithm of their diagonals: the coordinates of log-Cholesky.
   *
   * @param factors [n, n] or [N, n, n] with a positive diagonal, unchanged
   * @return new matrices
   */
  public static INDArray withLogDiagonals(INDArray factors) {
    INDArray coordinates = Arguments.squares(factors, "factors").dup('c');
    INDArray diagonals = MatrixStack.diagonals(Matrices.stacked(coordinates));
    diagonals.assign(Transforms.log(diagonals));
    return coordinates;
  }

  /**
   * What {@link #withLogDiagonals} was given.
   *
   * @param coordinates [n, n] or [N, n, n], unchanged
   * @return new matrices with a positive diagonal
   */
  public static INDArray withExpDiagonals(INDArray coordinates) {
    INDArray factors = Arguments.squares(coordinates, "coordinates").dup('c');
    INDArray diagonals = MatrixStack.diagonals(Matrices.stacked(factors));
    diagonals.assign(Transforms.exp(diagonals));
    return factors;
  }

  /** Of the entries of each matrix, in the type of the matrices. */
  private static INDArray weights(INDArray matrices, double diagonal) {
    int n = Math.toIntExact(matrices.size(-1));
    double[][] weights = new double[n][n];
    for (int row = 0; row < n; row++) {
      Arrays.fill(weights[row], 0, row, 1);
      weights[row][row] = diagonal;
    }
    INDArray typed = Nd4j.createFromArray(weights).castTo(matrices.dataType());
    return matrices.rank() == 2 ? typed : typed.reshape(1, n, n);
  }

  /** A routine of LAPACK that overwrites a matrix of n rows and returns its status. */
  private interface Routine {
    int run(double[] matrix, int n);
  }

  private static INDArray each(INDArray matrices, Routine routine, String failure) {
    BlasCheck.requireRightDoubles();
    int n = Math.toIntExact(matrices.size(-1));
    int count = Math.toIntExact(matrices.length() / n / n);
    double[] all = HostDoubles.of(matrices);
    int[] statuses = new int[count];
    Workers.shareProducts(
        count,
        (worker, from, to) -> {
          for (int i = from; i < to; i++) {
            double[] matrix = Arrays.copyOfRange(all, i * n * n, (i + 1) * n * n);
            statuses[i] = routine.run(matrix, n);
            for (int row = 0; row < n; row++) {
              Arrays.fill(matrix, row * n + row + 1, (row + 1) * n, 0);
            }
            System.arraycopy(matrix, 0, all, i * n * n, n * n);
          }
        });
    for (int i = 0; i < count; i++) {
      if (statuses[i] != 0) {
        throw new ArithmeticException(String.format(failure, i, count));
      }
    }
    return Nd4j.createFromArray(all).reshape(matrices.shape());
  }
}
