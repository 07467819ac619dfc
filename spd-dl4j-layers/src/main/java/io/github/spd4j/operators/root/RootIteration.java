/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.operators.root;

/**
 * The iterations of {@link Root}, forward and backward, for matrices of any kind.
 *
 * @param <M> a matrix, or a stack of them
 */
final class RootIteration<M> {

  /**
   * What the iterations are made of.
   *
   * @param <M> a matrix, or a stack of them
   */
  interface Matrices<M> {

    /** An n×n matrix that keeps its content until the backward pass is over. */
    M kept(Kind kind, int iteration);

    /** An n×n matrix for the time of one pass. */
    M passing(int place);

    /** {@code C ← α A B + β C}. */
    void multiply(double alpha, M a, M b, double beta, M c);

    /** {@code C ← 3/2 I}. */
    void setThreeHalves(M c);

    /** {@code C ← C + α A}. */
    void add(double alpha, M a, M c);
  }

  /** What is kept of each iteration. */
  enum Kind {
    STEP,
    ROOT,
    INVERSE_ROOT
  }

  /** How many passing matrices there are. */
  static final int PASSING = 5;

  private final int iterations;
  private final Matrices<M> matrices;

  RootIteration(int iterations, Matrices<M> matrices) {
    this.iterations = iterations;
    this.matrices = matrices;
  }

  /** The root of A, a matrix with eigenvalues from 0 to 1 that is to be left alone. */
  M forward(M a) {
    M step = matrices.kept(Kind.STEP, 1);
    matrices.setThreeHalves(step);
    matrices.add(-0.5, a, step);
    M y = matrices.kept(Kind.ROOT, 1);
    matrices.multiply(1, a, step, 0, y);
    M z = step;
    for (int k = 2; k <= iterations; k++) {
      if (k > 2) {
        M nextZ = matrices.kept(Kind.INVERSE_ROOT, k - 1);
        matrices.multiply(1, step, z, 0, nextZ);
        z = nextZ;
      }
      step = matrices.kept(Kind.STEP, k);
      matrices.setThreeHalves(step);
      matrices.multiply(-0.5, z, y, 1, step);
      M nextY = matrices.kept(Kind.ROOT, k);
      matrices.multiply(1, y, step, 0, nextY);
      y = nextY;
    }
    return y;
  }

  /** The root that {@link #forward} returned. */
  M root() {
    return matrices.kept(Kind.ROOT, iterations);
  }

  /** Where the gradient with respect to the root is to be put before {@link #backward}. */
  M byRoot() {
    return matrices.passing(0);
  }

  /**
   * The gradient with respect to A. Nothing is transposed on the way back: A is symmetric, and so
   * is all that the iterations make of it.
   */
  M backward(M a) {
    M byY = byRoot();
    M otherY = matrices.passing(1);
    M byZ = null;
    M otherZ = matrices.passing(2);
    M byStep = matrices.passing(3);
    for (int k = iterations; k > 1; k--) {
      M y = matrices.kept(Kind.ROOT, k - 1);
      M z = matrices.kept(k == 2 ? Kind.STEP : Kind.INVERSE_ROOT, k - 1);
      M step = matrices.kept(Kind.STEP, k);
      matrices.multiply(1, y, byY, 0, byStep);
      if (byZ != null) {
        matrices.multiply(1, byZ, z, 1, byStep);
      }
      matrices.multiply(-0.5, byStep, y, 0, otherZ);
      if (byZ != null) {
        matrices.multiply(1, step, byZ, 1, otherZ);
      }
      M spare = byZ == null ? matrices.passing(4) : byZ;
      byZ = otherZ;
      otherZ = spare;
      matrices.multiply(1, byY, step, 0, otherY);
      matrices.multiply(-0.5, z, byStep, 1, otherY);
      M before = byY;
      byY = otherY;
      otherY = before;
    }
    matrices.multiply(1, a, byY, 0, byStep);
    if (byZ != null) {
      matrices.add(1, byZ, byStep);
    }
    matrices.multiply(1, byY, matrices.kept(Kind.STEP, 1), 0, otherY);
    matrices.add(-0.5, byStep, otherY);
    return otherY;
  }
}
