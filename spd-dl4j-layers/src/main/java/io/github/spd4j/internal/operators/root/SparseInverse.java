/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.root;

import io.github.spd4j.internal.backend.Algebra;
import io.github.spd4j.internal.backend.ForwardPass;
import java.util.ArrayList;
import java.util.List;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.api.ops.impl.scalar.ScalarMax;
import org.nd4j.linalg.api.ops.impl.scalar.Step;
import org.nd4j.linalg.factory.Nd4j;

/**
 * Sparse inverses of covariance matrices, as iSICE computes them: steps of gradient descent for
 * {@code −log det Θ + tr(AΘ) + λ‖Θ‖₁}, with inverses by Newton–Schulz iterations.
 *
 * <pre>
 * A = sym(Σ) / tr Σ,  Θ = inverse(A)
 * G = A − inverse(Θ)
 * Θ⁺ = max(0, max(0, Θ) − η (G + λ)),  Θ⁻ = max(0, max(0, −Θ) − η (λ − G))
 * Θ ← Θ⁺ − Θ⁻                              m times, with rates η that fall from η₀ to η₀/m
 * </pre>
 *
 * <p>Backward is the derivative of exactly these steps. A matrix of zeros has the inverse zero, and
 * no gradient.
 */
public final class SparseInverse {

  private static final String NORMALISED = "A";
  private static final String FACTORS = "inverseTraces"; // 1 / tr Σ
  private static final String ESTIMATE = "estimate"; // Θ before step 0, 1, …
  private static final String POSITIVE = "positive"; // max(ηλ, max(0, Θ) − ηG) of step 0, 1, …
  private static final String NEGATIVE = "negative"; // max(ηλ, max(0, −Θ) + ηG)

  private final int steps;
  private final double sparsity;
  private final double rate;
  private final int iterations;
  private final Algebra algebra;
  private final SparseInverseBatch inverse;

  /**
   * The operator.
   *
   * @param steps m, how many steps of descent; not negative
   * @param sparsity λ, not negative
   * @param rate η₀, greater than 0
   * @param iterations how many Newton–Schulz iterations an inverse takes, at least 1
   * @param algebra what computes
   */
  public SparseInverse(int steps, double sparsity, double rate, int iterations, Algebra algebra) {
    this.steps = steps;
    this.sparsity = sparsity;
    this.rate = rate;
    this.iterations = iterations;
    this.algebra = algebra;
    this.inverse = new SparseInverseBatch(iterations, algebra);
  }

  private double rate(int step) {
    return rate(rate, step, steps);
  }

  /** The rate of a step, of those that fall evenly from η₀. */
  static double rate(double first, int step, int steps) {
    return first * (steps - step) / steps;
  }

  /**
   * The forward pass.
   *
   * @param matrices Σ [N, n, n] in C order, symmetric; not changed
   * @param saved what the backward pass needs
   * @param result Θ [N, n, n] in C order; overwritten
   * @throws ArithmeticException if a matrix has a negative eigenvalue that shows, or the steps lead
   *     to one
   */
  public void forward(INDArray matrices, ForwardPass saved, INDArray result) {
    INDArray a = kept(NORMALISED, matrices, saved);
    algebra.addTransposed(matrices, 0.5, a);
    INDArray factors = saved.keep(FACTORS, inverse.inverseTraces(a));
    inverse.stacks().scale(a, factors);
    List<INDArray> figures = new ArrayList<>();
    INDArray theta = steps == 0 ? result : kept(estimate(0, saved), a, saved);
    figures.add(inverse(0, saved).forward(a, theta));
    INDArray slope = Stacks.scratch("slope", a, saved);
    for (int step = 0; step < steps; step++) {
      figures.add(inverse(step + 1, saved).forward(theta, slope));
      slope.rsubi(a);
      INDArray next = step == steps - 1 ? result : kept(estimate(step + 1, saved), a, saved);
      descend(step, theta, slope, next, saved);
      theta = next;
    }
    inverse.check(figures);
  }

  /** {@code Θ⁺ − Θ⁻}, each with the threshold ηλ added. */
  private void descend(int step, INDArray theta, INDArray slope, INDArray next, ForwardPass saved) {
    INDArray positive = kept(POSITIVE + place(step, saved), theta, saved);
    INDArray negative = kept(NEGATIVE + place(step, saved), theta, saved);
    larger(theta, 0, positive);
    algebra.copy(positive, negative);
    algebra.add(-1, theta, negative);
    algebra.add(-rate(step), slope, positive);
    algebra.add(rate(step), slope, negative);
    larger(positive, rate(step) * sparsity, positive);
    larger(negative, rate(step) * sparsity, negative);
    algebra.copy(positive, next);
    algebra.add(-1, negative, next);
  }

  /** What is used again for every step if there is no backward pass. */
  private static int place(int step, ForwardPass saved) {
    return saved.isTraining() ? step : 0;
  }

  /** The estimates of two steps are needed at once. */
  private static String estimate(int step, ForwardPass saved) {
    return ESTIMATE + (saved.isTraining() ? step : step % 2);
  }

  /** The inverse of A, or of Θ before a step. */
  private SparseInverseBatch.Pass inverse(int number, ForwardPass saved) {
    return inverse.pass("inverse" + place(number, saved), saved);
  }

  private static INDArray kept(String name, INDArray like, ForwardPass saved) {
    return saved.keep(like.dataType(), name, like.shape());
  }

  private static void larger(INDArray array, double bound, INDArray result) {
    Nd4j.getExecutioner().exec(new ScalarMax(array, null, result, bound));
  }

  /** 1 where a number is larger than a bound, and 0 elsewhere. */
  private static void isLarger(INDArray array, double bound, INDArray result) {
    Nd4j.getExecutioner().exec(new Step(array, result, bound));
  }

  /**
   * The backward pass of the last forward pass.
   *
   * @param gradient the gradient with respect to Θ [N, n, n] in C order, not changed; only its
   *     symmetric part counts
   * @param saved what the forward pass kept
   * @param result the gradient with respect to Σ [N, n, n] in C order; overwritten
   */
  public void backward(INDArray gradient, ForwardPass saved, INDArray result) {
    INDArray a = saved.get(NORMALISED);
    INDArray byTheta = Stacks.scratch("byTheta", a, saved);
    algebra.addTransposed(gradient, 0.5, byTheta);
    INDArray byA = Stacks.scratch("byA", a, saved);
    byA.assign(0);
    INDArray up = Stacks.scratch("up", a, saved);
    INDArray down = Stacks.scratch("down", a, saved);
    INDArray sign = Stacks.scratch("sign", a, saved);
    INDArray byInverse = Stacks.scratch("byInverse", a, saved);
    for (int step = steps - 1; step >= 0; step--) {
      INDArray theta = saved.get(ESTIMATE + step);
      double threshold = rate(step) * sparsity;
      isLarger(saved.get(POSITIVE + step), threshold, up);
      isLarger(saved.get(NEGATIVE + step), threshold, down);
      algebra.copy(up, byInverse);
      algebra.add(1, down, byInverse);
      byInverse.muli(byTheta).muli(rate(step));
      algebra.add(-1, byInverse, byA);
      isLarger(theta, 0, sign);
      up.muli(sign);
      isLarger(theta.neg(), 0, sign);
      algebra.add(1, down.muli(sign), up);
      byTheta.muli(up);
      inverse(step + 1, saved).backward(byInverse, up);
      algebra.add(1, up, byTheta);
    }
    inverse(0, saved).backward(byTheta, up);
    algebra.add(1, up, byA);
    INDArray factors = saved.get(FACTORS);
    inverse.stacks().scale(byA, factors);
    INDArray byTrace = inverse.stacks().inner(byA, a).negi();
    algebra.copy(byA, result);
    inverse.stacks().addToDiagonals(byTrace, result);
  }
}
