/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.linalg;

import static org.bytedeco.openblas.global.openblas.LAPACKE_dpotrf;
import static org.bytedeco.openblas.global.openblas.LAPACKE_dtrtri;
import static org.bytedeco.openblas.global.openblas.LAPACK_ROW_MAJOR;

import io.github.spd4j.internal.backend.MatrixStack;
import io.github.spd4j.internal.backend.host.BlasCheck;
import io.github.spd4j.internal.backend.host.HostDoubles;
import io.github.spd4j.internal.backend.host.Workers;
import java.util.Arrays;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.ops.transforms.Transforms;

/** Cholesky's factors of a stack of matrices, A = LLᵀ, by LAPACK in double precision. */
public final class Cholesky {

  private static final byte LOWER = 'L';
  private static final byte NOT_UNIT = 'N';

  private Cholesky() {}

  /**
   * The factors of the symmetric parts of matrices.
   *
   * @param matrices [N, n, n], positive definite
   * @return L [N, n, n], DOUBLE, lower triangles with a positive diagonal and zeros above
   * @throws ArithmeticException if a matrix is not positive definite, which one is said
   * @throws NotFiniteException if there is NaN or infinity in the matrices
   */
  public static INDArray of(INDArray matrices) {
    INDArray symmetric = Matrices.symmetricPart(matrices.castTo(DataType.DOUBLE));
    if (!Matrices.isFinite(symmetric)) {
      throw new NotFiniteException("expected finite matrices, got NaN or infinity in them");
    }
    return each(
        symmetric,
        (a, n) -> LAPACKE_dpotrf(LAPACK_ROW_MAJOR, LOWER, n, a, n),
        "expected a positive definite matrix, got matrix %d of %d, whose Cholesky decomposition"
            + " fails: add a multiple of the identity to it");
  }

  /**
   * The inverses of lower triangles.
   *
   * @param factors L [N, n, n], DOUBLE, with a diagonal without zeros
   * @return L⁻¹ [N, n, n], DOUBLE
   */
  public static INDArray inverse(INDArray factors) {
    return each(
        factors,
        (a, n) -> LAPACKE_dtrtri(LAPACK_ROW_MAJOR, LOWER, NOT_UNIT, n, a, n),
        "expected a triangle with a diagonal without zeros, got matrix %d of %d, which has one");
  }

  /**
   * The gradient by matrices A of what depends on their factors.
   *
   * <pre>
   * ∂L/∂A = L⁻ᵀ sym(⌊Lᵀ ∂L/∂L⌋) L⁻¹,   ⌊·⌋: what is below the diagonal, and half of that
   * </pre>
   *
   * @param factors L [N, n, n], DOUBLE
   * @param gradient ∂L/∂L [N, n, n], DOUBLE; what is above the diagonal does not count
   * @return ∂L/∂A [N, n, n], symmetric
   */
  public static INDArray backward(INDArray factors, INDArray gradient) {
    INDArray inverse = inverse(factors);
    INDArray half = lowerHalf(Matrices.transposeFirst(factors, lower(gradient)));
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
    return matrices.mul(weights(matrices.size(1), 1));
  }

  /**
   * The lower triangles of matrices, with half of the diagonal: ⌊·⌋.
   *
   * @param matrices [N, n, n], unchanged
   * @return new matrices; a symmetric matrix is the sum of its own and the transposed
   */
  public static INDArray lowerHalf(INDArray matrices) {
    return matrices.mul(weights(matrices.size(1), 0.5));
  }

  /**
   * Cholesky's factors with the logarithm of their diagonals: the coordinates of log-Cholesky.
   *
   * @param factors [N, n, n] with a positive diagonal, unchanged
   * @return new matrices
   */
  public static INDArray withLogDiagonals(INDArray factors) {
    INDArray coordinates = factors.dup('c');
    INDArray diagonals = MatrixStack.diagonals(coordinates);
    diagonals.assign(Transforms.log(diagonals));
    return coordinates;
  }

  /**
   * What {@link #withLogDiagonals} was given.
   *
   * @param coordinates [N, n, n], unchanged
   * @return new matrices with a positive diagonal
   */
  public static INDArray withExpDiagonals(INDArray coordinates) {
    INDArray factors = coordinates.dup('c');
    INDArray diagonals = MatrixStack.diagonals(factors);
    diagonals.assign(Transforms.exp(diagonals));
    return factors;
  }

  private static INDArray weights(long n, double diagonal) {
    double[][] weights = new double[Math.toIntExact(n)][Math.toIntExact(n)];
    for (int row = 0; row < n; row++) {
      Arrays.fill(weights[row], 0, row, 1);
      weights[row][row] = diagonal;
    }
    return Nd4j.createFromArray(weights).reshape(1, n, n);
  }

  /** A routine of LAPACK that overwrites a matrix of n rows and returns its status. */
  private interface Routine {
    int run(double[] matrix, int n);
  }

  private static INDArray each(INDArray matrices, Routine routine, String failure) {
    BlasCheck.requireRightDoubles();
    int count = Math.toIntExact(matrices.size(0));
    int n = Math.toIntExact(matrices.size(1));
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
    return Nd4j.createFromArray(all).reshape(count, n, n);
  }
}
