/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.orthonormal;

import io.github.spd4j.internal.backend.Algebra;
import io.github.spd4j.internal.backend.MatrixStack;
import io.github.spd4j.linalg.NumericPolicy;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.memory.MemoryWorkspace;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * The polar factors of matrices of one size over an {@link Algebra}. Its arrays are allocated once
 * and reused: on a GPU, allocating an array takes longer than computing a product.
 *
 * <p>For one thread at a time.
 */
public final class FactorBatch {

  private final Algebra algebra;
  private final Iteration iteration;
  private final INDArray identity;
  private final INDArray excess;
  private final INDArray series;

  /** X, and memory for the next one. */
  private INDArray x;

  private INDArray next;

  /**
   * Memory for factors.
   *
   * @param algebra the algebra
   * @param type FLOAT or DOUBLE
   * @param n rows
   * @param p columns, at most n
   */
  public FactorBatch(Algebra algebra, DataType type, long n, long p) {
    this.algebra = algebra;
    iteration = new Iteration(NumericPolicy.epsilon(type));
    try (MemoryWorkspace none = Nd4j.getWorkspaceManager().scopeOutOfWorkspaces()) {
      identity = Nd4j.eye(p).castTo(type);
      excess = Nd4j.createUninitialized(type, new long[] {p, p}, 'c');
      series = Nd4j.createUninitialized(type, new long[] {p, p}, 'c');
      x = Nd4j.createUninitialized(type, new long[] {n, p}, 'c');
      next = Nd4j.createUninitialized(type, new long[] {n, p}, 'c');
    }
  }

  /**
   * The polar factor of {@code A + tB}.
   *
   * @param a A [n, p] in C order, not changed; no array that this method returned
   * @param t t
   * @param b B [n, p] in C order, not changed; or null for A alone
   * @return the polar factor, which the next call overwrites
   * @throws ArithmeticException if there is none
   */
  public INDArray polarOfSum(INDArray a, double t, INDArray b) {
    algebra.copy(a, x);
    if (b != null) {
      algebra.add(t, b, x);
    }
    return iteration.polarFactor();
  }

  private void multiply(double alpha, MatrixStack a, INDArray b, double beta, INDArray c) {
    algebra.multiply(alpha, a, MatrixStack.of(b), beta, MatrixStack.of(c), 1);
  }

  private final class Iteration extends PolarIteration {

    Iteration(double epsilon) {
      super(epsilon);
    }

    @Override
    INDArray x() {
      return x;
    }

    @Override
    double computeExcess() {
      algebra.copy(identity, excess);
      multiply(1, MatrixStack.of(x).transpose(), x, -1, excess);
      return Math.sqrt(algebra.squaredNorm(excess, 1));
    }

    @Override
    void shrink() {
      multiply(1, MatrixStack.of(x).transpose(), x, 0, series);
      double largest = series.norm1(1).maxNumber().doubleValue();
      x.divi(Math.sqrt(largest));
    }

    @Override
    void linearStep() {
      addProduct(-0.5, excess);
    }

    @Override
    void quadraticStep() {
      algebra.copy(excess, series);
      multiply(0.375, MatrixStack.of(excess), excess, -0.5, series);
      addProduct(1, series);
    }

    /** {@code X ← X + α X S}. */
    private void addProduct(double alpha, INDArray s) {
      algebra.copy(x, next);
      multiply(alpha, MatrixStack.of(x), s, 1, next);
      INDArray before = x;
      x = next;
      next = before;
    }
  }
}
