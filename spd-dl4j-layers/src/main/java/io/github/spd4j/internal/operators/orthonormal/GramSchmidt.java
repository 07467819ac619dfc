/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.orthonormal;

import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.linalg.NumericPolicy;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * QR in double precision on the host, by Gram–Schmidt with a second pass.
 *
 * <p>ND4J's CUDA backend gives cuSOLVER too small a workspace for {@code geqrf} in double
 * precision, which ends in illegal accesses to the card's memory.
 */
final class GramSchmidt {

  private GramSchmidt() {}

  /** Whether ND4J cannot do it for a type. */
  static boolean isNeeded(Backend backend, DataType type) {
    return type == DataType.DOUBLE && backend.algebra().isOnDevice();
  }

  /**
   * Q of {@code A = QR} with the diagonal of R positive. A column that depends on those before it
   * is replaced by some other direction.
   *
   * @param a [n, p], n ≥ p; not changed
   * @return Q [n, p], DOUBLE
   * @throws ArithmeticException if there is NaN or infinity in A
   */
  static INDArray q(INDArray a) {
    if (!Double.isFinite(a.norm2Number().doubleValue())) {
      throw new ArithmeticException("expected a finite matrix, got NaN or infinity in it");
    }
    double[][] columns = a.castTo(DataType.DOUBLE).transpose().toDoubleMatrix();
    int next = 0;
    for (int j = 0; j < columns.length; j++) {
      double before = norm(columns[j]);
      double left = orthogonalise(columns, j);
      while (!(left > before * NumericPolicy.DEPENDENT_COLUMN)) {
        columns[j] = new double[columns[j].length];
        columns[j][next++] = 1;
        before = 1;
        left = orthogonalise(columns, j);
      }
      for (int k = 0; k < columns[j].length; k++) {
        columns[j][k] *= 1 / left;
      }
    }
    return Nd4j.createFromArray(columns).transpose();
  }

  /** Makes a column orthogonal to those before it, and returns what is left of its length. */
  private static double orthogonalise(double[][] columns, int j) {
    for (int pass = 0; pass < 2; pass++) {
      for (int i = 0; i < j; i++) {
        double share = 0;
        for (int k = 0; k < columns[j].length; k++) {
          share += columns[i][k] * columns[j][k];
        }
        for (int k = 0; k < columns[j].length; k++) {
          columns[j][k] -= share * columns[i][k];
        }
      }
    }
    return norm(columns[j]);
  }

  private static double norm(double[] column) {
    double squares = 0;
    for (double value : column) {
      squares += value * value;
    }
    return Math.sqrt(squares);
  }
}
