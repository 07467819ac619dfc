/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.root;

/**
 * The iterations of {@link Root} and {@link SparseInverse}, forward and backward, for matrices of
 * any kind.
 *
 * @param <M> a matrix, or a stack of them
 */
final class RootIteration<M> {

  /**
   * What the iterations are made of.
   *
   * @param <M> a matrix, or a stack of them
   */
  interface IterationMatrices<M> {

    /** An n×n matrix that keeps its content until the backward pass is over. */
    M kept(Kind kind, int iteration);

    /** An n×n matrix for the time of one pass. */
    M passing(int place);

    /** {@code C ← α A B + β C}. */
    void multiply(double alpha, M a, M b, double beta, M c);

    /** {@code C ← 3/2 I}. */
    void setThreeHalves(M c);

    /** {@code C ← C + α A}; C may be A. */
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
  private final boolean inverse;
  private final IterationMatrices<M> matrices;

  /**
   * The iterations.
   *
   * @param iterations how many, at least 1
   * @param inverse whether the inverse root is wanted instead of the root
   * @param matrices what they are made of
   */
  RootIteration(int iterations, boolean inverse, IterationMatrices<M> matrices) {
    this.iterations = iterations;
    this.inverse = inverse;
    this.matrices = matrices;
  }

  /** The result for A, a matrix with eigenvalues from 0 to 1 that is to be left alone. */
  M forward(M a) {
    M y = a;
    M z = null;
    for (int k = 1; k <= iterations; k++) {
      M step = matrices.kept(Kind.STEP, k);
      matrices.setThreeHalves(step);
      if (z == null) {
        matrices.add(-0.5, a, step);
      } else {
        matrices.multiply(-0.5, z, y, 1, step);
      }
      if (k < iterations || !inverse) {
        M nextY = matrices.kept(Kind.ROOT, k);
        matrices.multiply(1, y, step, 0, nextY);
        y = nextY;
      }
      if (z == null) {
        z = step;
      } else if (k < iterations || inverse) {
        M nextZ = matrices.kept(Kind.INVERSE_ROOT, k);
        matrices.multiply(1, step, z, 0, nextZ);
        z = nextZ;
      }
    }
    return inverse ? z : y;
  }

  /** The result that {@link #forward} returned. */
  M result() {
    return inverse ? inverseRoot(iterations) : matrices.kept(Kind.ROOT, iterations);
  }

  private M inverseRoot(int k) {
    return matrices.kept(k == 1 ? Kind.STEP : Kind.INVERSE_ROOT, k);
  }

  /** Where the gradient with respect to the result is to be put before {@link #backward}. */
  M byResult() {
    return matrices.passing(0);
  }

  /**
   * The gradient with respect to A. Nothing is transposed on the way back: A is symmetric, and so
   * is all that the iterations make of it.
   */
  M backward(M a) {
    M byY = inverse ? null : byResult();
    M byZ = inverse ? byResult() : null;
    M nextY = matrices.passing(1);
    M nextZ = matrices.passing(2);
    M byStep = matrices.passing(3);
    M spare = matrices.passing(4);
    for (int k = iterations; k > 1; k--) {
      M y = matrices.kept(Kind.ROOT, k - 1);
      M z = inverseRoot(k - 1);
      M step = matrices.kept(Kind.STEP, k);
      if (byY != null) {
        matrices.multiply(1, y, byY, 0, byStep);
        matrices.multiply(1, byY, step, 0, nextY);
      }
      if (byZ != null) {
        matrices.multiply(1, byZ, z, byY == null ? 0 : 1, byStep);
        matrices.multiply(1, step, byZ, 0, nextZ);
      }
      matrices.multiply(-0.5, z, byStep, byY == null ? 0 : 1, nextY);
      matrices.multiply(-0.5, byStep, y, byZ == null ? 0 : 1, nextZ);
      M pastY = byY == null ? spare : byY;
      M pastZ = byZ == null ? spare : byZ;
      byY = nextY;
      byZ = nextZ;
      nextY = pastY;
      nextZ = pastZ;
    }
    if (byY == null) { // one iteration, whose result is the step: −A/2 and a constant
      matrices.add(-1.5, byZ, byZ);
      return byZ;
    }
    matrices.multiply(1, a, byY, 0, byStep);
    if (byZ != null) {
      matrices.add(1, byZ, byStep);
    }
    matrices.multiply(1, byY, matrices.kept(Kind.STEP, 1), 0, nextY);
    matrices.add(-0.5, byStep, nextY);
    return nextY;
  }
}
