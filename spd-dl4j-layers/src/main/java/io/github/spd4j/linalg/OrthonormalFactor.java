/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.linalg;

import java.util.Arrays;
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
   * A. LAPACK leaves the signs open: without the rule, columns of Q would flip from one step to the
   * next.
   *
   * @param a [n, p], n ≥ p, FLOAT or DOUBLE
   * @return Q [n, p]
   */
  public static INDArray qr(INDArray a) {
    if (HostQr.isNeeded(a.dataType())) {
      return HostQr.q(a);
    }
    INDArray q = a.dup('f');
    INDArray r = Nd4j.create(a.dataType(), new long[] {a.columns(), a.columns()}, 'f');
    Nd4j.getBlasWrapper().lapack().geqrf(q, r);
    q = q.muli(columnSigns(r));
    // Householder QR is good to about √p units in the last place; in single precision that is
    // worth the two products of a polishing step.
    return q.dataType() == DataType.FLOAT ? newtonSchulz(q, Matrices.gramMinusIdentity(q)) : q;
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
   * The polar factor {@code A (AᵀA)^{−1/2}}, the nearest matrix with orthonormal columns, by
   * Newton–Schulz iteration: matrix products only.
   *
   * @param a [n, p], n ≥ p, FLOAT or DOUBLE
   * @return the polar factor [n, p]
   * @throws ArithmeticException if A has not full column rank (or is not finite), so that there is
   *     none
   */
  public static INDArray polar(INDArray a) {
    double epsilon = NumericPolicy.epsilon(a.dataType());
    INDArray x = a.dup();
    INDArray excess = Matrices.gramMinusIdentity(x);
    double error = excess.norm2Number().doubleValue();
    if (error >= 1) {
      // Some singular value may be too large for the iteration: bring all of them below 1.
      x.divi(spectralNormBound(x));
      excess = Matrices.gramMinusIdentity(x);
      error = excess.norm2Number().doubleValue();
    }
    for (int step = 0; step < NumericPolicy.POLAR_MAX_STEPS; step++) {
      x = newtonSchulz(x, excess);
      if (error * error <= epsilon) {
        return x; // convergence is quadratic: the step just taken was the last that counts
      }
      excess = Matrices.gramMinusIdentity(x);
      error = excess.norm2Number().doubleValue();
    }
    throw new ArithmeticException(
        "wants a finite matrix of full column rank, got one of shape "
            + Arrays.toString(a.shape())
            + " that has no polar factor (‖QᵀQ − I‖ = "
            + error
            + " after "
            + NumericPolicy.POLAR_MAX_STEPS
            + " steps)");
  }

  /** {@code √‖XᵀX‖_∞}, which no singular value of X exceeds. */
  private static double spectralNormBound(INDArray x) {
    return Math.sqrt(Matrices.transposeFirst(x, x).norm1(1).maxNumber().doubleValue());
  }

  /** One step {@code X (I − (XᵀX − I) / 2)} towards the polar factor of X. */
  private static INDArray newtonSchulz(INDArray x, INDArray gramMinusIdentity) {
    return Matrices.plusProduct(x, -0.5, x, gramMinusIdentity);
  }
}
