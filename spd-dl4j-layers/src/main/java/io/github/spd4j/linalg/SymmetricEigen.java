/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.linalg;

import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * The eigenvalues and eigenvectors of a stack of symmetric matrices, {@code A = U diag(λ) Uᵀ}, by
 * LAPACK's {@code syev} in double precision, whatever the type of the matrices.
 */
public final class SymmetricEigen {

  private final INDArray values;
  private final INDArray vectors;

  /**
   * A decomposition that was computed before.
   *
   * @param values λ [N, n], DOUBLE
   * @param vectors U [N, n, n], DOUBLE, an eigenvector a column
   */
  public SymmetricEigen(INDArray values, INDArray vectors) {
    this.values = values;
    this.vectors = vectors;
  }

  /**
   * Decomposes the symmetric parts of matrices, one after another.
   *
   * @param matrices [N, n, n]
   * @return the decomposition
   * @throws NotFiniteException if there is NaN or infinity in the matrices
   */
  public static SymmetricEigen of(INDArray matrices) {
    INDArray vectors = Matrices.symmetricPart(matrices.castTo(DataType.DOUBLE));
    INDArray values = Nd4j.create(DataType.DOUBLE, vectors.size(0), vectors.size(1));
    for (long i = 0; i < vectors.size(0); i++) {
      INDArray work = vectors.slice(i).dup('f');
      values.putRow(i, overwriteByVectors(work));
      vectors.slice(i).assign(work);
    }
    return new SymmetricEigen(values, vectors);
  }

  /**
   * The eigenvalues.
   *
   * @return λ [N, n], the smallest first
   */
  public INDArray values() {
    return values;
  }

  /**
   * The eigenvectors.
   *
   * @return U [N, n, n], a column for each eigenvalue
   */
  public INDArray vectors() {
    return vectors;
  }

  /**
   * The eigenvalues of the symmetric part of one matrix, without eigenvectors.
   *
   * @param matrix [n, n], not changed
   * @return n eigenvalues
   * @throws NotFiniteException if there is NaN or infinity in the matrix
   */
  public static INDArray valuesOf(INDArray matrix) {
    return decompose('N', Matrices.symmetricPart(matrix.castTo(DataType.DOUBLE)).dup('f'));
  }

  /**
   * The eigenvalues of a symmetric matrix, which its eigenvectors overwrite.
   *
   * @param matrix [n, n], DOUBLE, in Fortran order
   */
  static INDArray overwriteByVectors(INDArray matrix) {
    return decompose('V', matrix);
  }

  private static INDArray decompose(char job, INDArray matrix) {
    // LAPACK would return something, or not return at all.
    if (!Double.isFinite(matrix.norm2Number().doubleValue())) {
      throw new NotFiniteException("wants a finite matrix, got NaN or infinity in it");
    }
    if (matrix.rows() == 1) {
      INDArray value = matrix.dup().reshape(1);
      matrix.assign(1);
      return value;
    }
    INDArray values = Nd4j.create(DataType.DOUBLE, matrix.rows());
    int status = Nd4j.getBlasWrapper().lapack().syev(job, 'U', matrix, values);
    if (status != 0) {
      throw new ArithmeticException("LAPACK's syev found no eigenvalues, status " + status);
    }
    return values;
  }
}
