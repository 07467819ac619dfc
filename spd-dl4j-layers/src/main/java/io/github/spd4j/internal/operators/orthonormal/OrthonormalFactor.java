/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.orthonormal;

import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.internal.backend.MatrixStack;
import io.github.spd4j.internal.backend.Scratch;
import io.github.spd4j.internal.backend.host.BlasCheck;
import io.github.spd4j.internal.backend.host.HostMatrix;
import io.github.spd4j.linalg.Matrices;
import java.util.Optional;
import java.util.function.Supplier;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * The two factors with orthonormal columns that a matrix A of full column rank determines: Q of its
 * QR decomposition, and the polar factor.
 *
 * <p>No method changes its arguments.
 */
public final class OrthonormalFactor {

  private final Backend backend;

  private OrthonormalFactor(Backend backend) {
    this.backend = backend;
  }

  /**
   * The factors as a backend computes them.
   *
   * @param backend the backend
   * @return what computes them
   */
  public static OrthonormalFactor on(Backend backend) {
    return new OrthonormalFactor(backend);
  }

  /**
   * Q of {@code A = QR} with the diagonal of R not negative, which makes Q unique and continuous in
   * A. Householder reflections leave the signs open: without the rule, columns of Q would flip from
   * one step to the next.
   *
   * <p>In FLOAT on the CPU, Cholesky factors of products of columns give Q, unless the columns of A
   * are too far from independent for that.
   *
   * @param a [n, p], n ≥ p, FLOAT or DOUBLE
   * @return Q [n, p]
   * @throws ArithmeticException if there is NaN or infinity in A, on the CPU
   */
  public INDArray qr(INDArray a) {
    return qr(a.dataType(), () -> copied(a));
  }

  /**
   * Q of the QR decomposition of a sum, as {@link #qr(INDArray)}.
   *
   * @param a A [n, p], n ≥ p, FLOAT or DOUBLE
   * @param t a factor
   * @param b B [n, p], of the same type
   * @param room where Q may lie, until the next call with it; A and B must not
   * @return Q [n, p] of {@code A + tB}
   */
  public INDArray qrOfSum(INDArray a, double t, INDArray b, Scratch room) {
    return qr(a.dataType(), () -> sum(a, t, b, room));
  }

  private INDArray qr(DataType type, Supplier<INDArray> start) {
    try (Backend.Pass pass = backend.pass()) {
      if (GramSchmidt.isNeeded(backend, type)) {
        return GramSchmidt.q(start.get());
      }
      INDArray x = start.get();
      if (isFused(x)) {
        Optional<INDArray> q = FactorHost.of(x, FactorHost::q);
        return q.orElseGet(() -> householder(start.get()));
      }
      return householder(x);
    }
  }

  /** The matrix to begin with; in the host's memory a copy, which may be changed. */
  private INDArray copied(INDArray a) {
    if (!isFused(a) || !MatrixStack.isInOrder(a)) {
      return isFused(a) ? a.dup('c') : a;
    }
    return copied(a, Nd4j.createUninitialized(a.dataType(), a.shape(), 'c'));
  }

  /** Whether the loops of the host compute it. */
  private boolean isFused(INDArray a) {
    return backend.isFused(a.dataType());
  }

  private static INDArray copied(INDArray a, INDArray target) {
    HostMatrix.of(target).set(HostMatrix.of(a));
    return target;
  }

  private INDArray sum(INDArray a, double t, INDArray b, Scratch room) {
    if (!isFused(a)) {
      return a.add(b.mul(t));
    }
    INDArray sum = copied(MatrixStack.inOrder(a), room.array("sum", a.shape()));
    backend.algebra().add(t, MatrixStack.inOrder(b), sum);
    return sum;
  }

  private static INDArray householder(INDArray a) {
    if (!Matrices.isFinite(a)) { // ND4J would throw an Error
      throw new ArithmeticException("expected a finite matrix, got NaN or infinity in it");
    }
    if (a.dataType() == DataType.DOUBLE) {
      BlasCheck.requireRightDoubles();
    }
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
  public INDArray polar(INDArray a) {
    return polarOf(copied(a));
  }

  /**
   * The polar factor of a sum, as {@link #polar}.
   *
   * @param a A [n, p], n ≥ p, FLOAT or DOUBLE
   * @param t a factor
   * @param b B [n, p], of the same type
   * @param room where the factor may lie, until the next call with it; A and B must not
   * @return the polar factor [n, p] of {@code A + tB}
   * @throws ArithmeticException if the sum has not full column rank (or is not finite)
   */
  public INDArray polarOfSum(INDArray a, double t, INDArray b, Scratch room) {
    return polarOf(sum(a, t, b, room));
  }

  private INDArray polarOf(INDArray start) {
    if (isFused(start)) {
      return FactorHost.of(start, FactorHost::polarFactor);
    }
    return new FactorBatch(backend.algebra(), start.dataType(), start.rows(), start.columns())
        .polarOfSum(start, 0, null);
  }

  /** One step towards the polar factor. */
  private static INDArray polished(INDArray q) {
    return Matrices.plusProduct(q, -0.5, q, Matrices.gramMinusIdentity(q));
  }
}
