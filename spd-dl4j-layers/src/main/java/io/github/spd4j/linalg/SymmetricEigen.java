/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.linalg;

import io.github.spd4j.internal.backend.Algebra;
import io.github.spd4j.internal.backend.Arguments;
import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.internal.backend.MatrixStack;
import io.github.spd4j.internal.backend.host.HostEigen;
import java.util.Arrays;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * The eigenvalues and eigenvectors of a symmetric matrix [n, n], or of those of a stack [N, n, n],
 * {@code A = U diag(λ) Uᵀ}, in double precision, whatever the type of the matrices: by LAPACK, or
 * by Jacobi's rotations on an NVIDIA GPU with {@code spd-dl4j-cuda}.
 */
public final class SymmetricEigen {

  private final INDArray values;
  private final INDArray vectors;

  /**
   * A decomposition that was computed before.
   *
   * @param values λ [N, n], or [n] of one matrix, DOUBLE
   * @param vectors U [N, n, n], or [n, n] of one matrix, DOUBLE, an eigenvector a column
   */
  public SymmetricEigen(INDArray values, INDArray vectors) {
    Arguments.numbers(values, "values");
    Arguments.squares(vectors, "vectors");
    int rank = values.rank();
    if (rank != vectors.rank() - 1
        || values.size(-1) != vectors.size(-1)
        || values.size(0) != vectors.size(0)) {
      throw Arguments.refused(
          "values",
          "a number for each of the vectors " + Arrays.toString(vectors.shape()),
          "shape " + Arrays.toString(values.shape()));
    }
    this.values = values;
    this.vectors = vectors;
  }

  /**
   * Decomposes the symmetric parts of matrices.
   *
   * @param matrices [n, n] or [N, n, n]
   * @return the decomposition
   * @throws IllegalArgumentException if the array has another shape
   * @throws NotFiniteException if there is NaN or infinity in the matrices
   */
  public static SymmetricEigen of(INDArray matrices) {
    INDArray stack = Matrices.stacked(MatrixStack.inOrder(Arguments.squares(matrices, "matrices")));
    Algebra algebra = Backend.current().algebra();
    boolean takesSymmetricParts = !algebra.isOnDevice();
    INDArray given =
        takesSymmetricParts
            ? stack.dataType() == DataType.FLOAT ? stack : exact(stack)
            : Matrices.symmetricPart(exact(stack));
    if (!isFinite(given)) {
      throw Matrices.notFinite("matrices"); // LAPACK would return something, or not return at all
    }
    INDArray vectors = Nd4j.createUninitialized(DataType.DOUBLE, given.shape(), 'c');
    INDArray values =
        Nd4j.createUninitialized(DataType.DOUBLE, new long[] {given.size(0), given.size(1)}, 'c');
    algebra.eigen(given, values, vectors);
    if (!isFinite(values)) {
      throw new ArithmeticException("no eigenvalues were found");
    }
    return matrices.rank() == 3
        ? new SymmetricEigen(values, vectors)
        : new SymmetricEigen(values.reshape(values.length()), vectors.reshape(matrices.shape()));
  }

  /**
   * Decomposes positive definite matrices.
   *
   * @param matrices [n, n] or [N, n, n]
   * @return the decomposition, whose eigenvalues are all positive
   * @throws ArithmeticException if a matrix is not positive definite, which one is said
   */
  public static SymmetricEigen ofPositiveDefinite(INDArray matrices) {
    SymmetricEigen eigen = of(matrices);
    INDArray values = eigen.values.reshape(-1, matrices.size(-1));
    double[] smallest = values.getColumn(0).toDoubleVector();
    for (int i = 0; i < smallest.length; i++) {
      if (!(smallest[i] > 0)) {
        throw new ArithmeticException(
            String.format(
                "expected a positive definite matrix, got matrix %d of %d with the eigenvalue %s:"
                    + " add a multiple of the identity to it",
                i, smallest.length, smallest[i]));
      }
    }
    return eigen;
  }

  /**
   * The eigenvalues.
   *
   * @return λ [N, n], or [n] of one matrix, the smallest first
   */
  public INDArray values() {
    return values;
  }

  /**
   * The eigenvectors.
   *
   * @return U [N, n, n], or [n, n] of one matrix, a column for each eigenvalue
   */
  public INDArray vectors() {
    return vectors;
  }

  /**
   * The eigenvalues of the symmetric part of one matrix, without eigenvectors.
   *
   * @param matrix [n, n], not changed
   * @return n eigenvalues, the smallest first
   * @throws NotFiniteException if there is NaN or infinity in the matrix
   */
  public static INDArray valuesOf(INDArray matrix) {
    Arguments.square(matrix, "matrix");
    return decompose('N', Matrices.symmetricPart(matrix.castTo(DataType.DOUBLE)).dup('f'));
  }

  /**
   * The eigenvalues of a symmetric matrix, which its eigenvectors overwrite.
   *
   * @param matrix [n, n], DOUBLE, in Fortran order
   * @return the eigenvalues [n], in ascending order
   */
  public static INDArray overwriteByVectors(INDArray matrix) {
    return decompose('V', Tridiagonal.inPlace(matrix));
  }

  private static INDArray decompose(char job, INDArray matrix) {
    Matrices.requireFinite(matrix, "matrix");
    if (matrix.rows() == 1) {
      INDArray value = matrix.dup().reshape(1);
      matrix.assign(1);
      return value;
    }
    INDArray values = Nd4j.create(DataType.DOUBLE, matrix.rows());
    requireSuccess(
        Backend.current().algebra().isOnDevice()
            ? Nd4j.getBlasWrapper().lapack().syev(job, 'U', matrix, values)
            : HostEigen.overwrite(job, matrix, values));
    return values;
  }

  private static INDArray exact(INDArray matrices) {
    return matrices.castTo(DataType.DOUBLE);
  }

  /** On a GPU the algebra tells sooner, unless squares overflow. */
  private static boolean isFinite(INDArray inOrder) {
    return Double.isFinite(Backend.current().algebra().squaredNorm(inOrder, 1))
        || Matrices.isFinite(inOrder);
  }

  private static void requireSuccess(int status) {
    if (status != 0) {
      throw new ArithmeticException("LAPACK found no eigenvalues, status " + status);
    }
  }
}
