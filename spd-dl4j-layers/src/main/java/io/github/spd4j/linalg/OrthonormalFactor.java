/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.linalg;

import java.util.Optional;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * The two factors with orthonormal columns that a matrix A of full column rank determines: Q of its
 * QR decomposition, and the polar factor.
 *
 * <p>No method changes its argument.
 */
public final class OrthonormalFactor {

  private OrthonormalFactor() {}

  /**
   * Q of {@code A = QR} with the diagonal of R not negative, which makes Q unique and continuous in
   * A. Householder reflections leave the signs open: without the rule, columns of Q would flip from
   * one step to the next.
   *
   * <p>In FLOAT on the CPU, R is the Cholesky factor of AᵀA, unless the columns of A are too far
   * from independent for that.
   *
   * @param a [n, p], n ≥ p, FLOAT or DOUBLE
   * @return Q [n, p]
   */
  public static INDArray qr(INDArray a) {
    if (HostQr.isNeeded(a.dataType())) {
      return HostQr.q(a);
    }
    Optional<INDArray> q = HostFloats.isPossible(a) ? new HostFactor(a).q() : Optional.empty();
    return q.orElseGet(() -> householder(a));
  }

  private static INDArray householder(INDArray a) {
    INDArray q = a.dup('f');
    INDArray r = Nd4j.create(a.dataType(), new long[] {a.columns(), a.columns()}, 'f');
    Nd4j.getBlasWrapper().lapack().geqrf(q, r);
    q = q.muli(columnSigns(r));
    // Householder QR is good to about √p units in the last place; in single precision that is
    // worth the two products of a polishing step.
    return q.dataType() == DataType.FLOAT ? polished(q) : q;
  }

  /** +1 where the diagonal of R is positive or zero, −1 where it is negative, as a row [1, p]. */
  private static INDArray columnSigns(INDArray r) {
    int p = r.columns();
    double[] signs = new double[p];
    for (int j = 0; j < p; j++) {
      signs[j] = r.getDouble(j, j) < 0 ? -1 : 1;
    }
    return Nd4j.createFromArray(new double[][] {signs}).castTo(r.dataType());
  }

  /**
   * The polar factor {@code A (AᵀA)^{−1/2}}, the nearest matrix with orthonormal columns, by matrix
   * products only.
   *
   * @param a [n, p], n ≥ p, FLOAT or DOUBLE
   * @return the polar factor [n, p]
   * @throws ArithmeticException if A has not full column rank (or is not finite), so that there is
   *     none
   */
  public static INDArray polar(INDArray a) {
    PolarIteration iteration = HostFloats.isPossible(a) ? new HostFactor(a) : new ArrayFactor(a);
    return iteration.polarFactor();
  }

  /** One step towards the polar factor. */
  private static INDArray polished(INDArray q) {
    return Matrices.plusProduct(q, -0.5, q, Matrices.gramMinusIdentity(q));
  }
}
