/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.encoding;

import io.github.spd4j.internal.backend.Arguments;
import io.github.spd4j.linalg.Matrices;
import io.github.spd4j.linalg.NotFiniteException;
import io.github.spd4j.linalg.SymmetricEigen;
import java.util.Arrays;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.indexing.NDArrayIndex;

/**
 * {@code y = (x − m) U}: the directions of largest variance, the largest first, without whitening.
 *
 * <p>U has orthonormal columns, the eigenvectors of the covariance matrix. Computed in double
 * precision.
 */
public final class PrincipalComponents {

  private final INDArray mean;
  private final INDArray basis;
  private final double explained;

  private PrincipalComponents(INDArray mean, INDArray basis, double explained) {
    this.mean = mean;
    this.basis = basis;
    this.explained = explained;
  }

  /**
   * Finds the directions.
   *
   * @param rows x [n, C], at least two; they are not changed
   * @param dimensions how many directions, at most C
   * @return the directions
   * @throws NotFiniteException if the rows are not finite
   */
  public static PrincipalComponents of(INDArray rows, int dimensions) {
    if (Arguments.matrix(rows, "rows").rows() < 2) {
      throw Arguments.refused("rows", "at least 2", rows.rows());
    }
    if (dimensions < 1 || dimensions > rows.columns()) {
      throw Arguments.refused("dimensions", "1 to " + rows.columns(), dimensions);
    }
    int size = rows.columns();
    INDArray exact = rows.castTo(DataType.DOUBLE);
    INDArray mean = exact.mean(true, 0);
    INDArray centred = exact.sub(mean);
    INDArray covariance = Matrices.transposeFirst(centred, centred).divi(rows.rows());
    INDArray vectors = Matrices.symmetricPart(covariance).dup('f');
    if (!Double.isFinite(vectors.norm2Number().doubleValue())) {
      throw new NotFiniteException("rows: expected finite ones, got NaN or infinity in them");
    }
    double[] values =
        SymmetricEigen.overwriteByVectors(vectors).toDoubleVector(); // the smallest first
    INDArray basis =
        vectors.get(NDArrayIndex.all(), NDArrayIndex.interval(size - dimensions, size));
    int[] backwards = new int[dimensions];
    Arrays.setAll(backwards, i -> dimensions - 1 - i);
    double kept = Arrays.stream(values, size - dimensions, size).sum();
    return new PrincipalComponents(
        mean,
        basis.reshape(size, dimensions).getColumns(backwards).dup('c'),
        kept / Arrays.stream(values).sum());
  }

  /**
   * m.
   *
   * @return [1, C]
   */
  public INDArray mean() {
    return mean;
  }

  /**
   * U.
   *
   * @return [C, D]
   */
  public INDArray basis() {
    return basis;
  }

  /**
   * The share of the variance that lies in these directions.
   *
   * @return 0 … 1, NaN if there is no variance
   */
  public double explained() {
    return explained;
  }

  /**
   * {@code (x − m) U}.
   *
   * @param rows x [n, C]
   * @return a new array [n, D], of the type of the rows
   */
  public INDArray project(INDArray rows) {
    if (Arguments.matrix(rows, "rows").size(1) != mean.size(1)) {
      throw Arguments.refused("rows", "[n, " + mean.size(1) + "]", Arrays.toString(rows.shape()));
    }
    INDArray centred = rows.sub(mean.castTo(rows.dataType()));
    return Matrices.product(centred, basis.castTo(rows.dataType()));
  }
}
