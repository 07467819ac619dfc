/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.operators.root;

import io.github.spd4j.backend.MatrixStack;
import io.github.spd4j.backend.Saved;
import io.github.spd4j.linalg.Matrices;
import io.github.spd4j.linalg.NumericPolicy;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * Sparse inverses of covariance matrices, as iSICE computes them: steps of gradient descent for
 * {@code −log det Θ + tr(AΘ) + λ‖Θ‖₁}, with inverses by Newton–Schulz iterations.
 *
 * <pre>
 * A = Σ / tr Σ,  Θ = inverse(A)
 * G = A − inverse(Θ)
 * Θ⁺ = max(0, max(0, Θ) − η (G + λ)),  Θ⁻ = max(0, max(0, −Θ) − η (λ − G))
 * Θ ← sym(Θ⁺ − Θ⁻)                         m times, with rates η that fall from η₀ to η₀/m
 * </pre>
 *
 * <p>Backward is the derivative of exactly these steps. Only Θ of each step is kept; what the
 * iterations make on their way is computed again. A matrix of zeros has the inverse zero, and no
 * gradient.
 */
public final class SparseInverse {

  private static final String NORMALISED = "normalised"; // A
  private static final String INVERSE_TRACES = "inverseTraces"; // 1 / tr Σ
  private static final String ESTIMATE = "estimate"; // Θ before step 0, 1, …

  private final int steps;
  private final double sparsity;
  private final double rate;
  private final int iterations;

  /**
   * The operator.
   *
   * @param steps m, how many steps of descent; not negative
   * @param sparsity λ, not negative
   * @param rate η₀, greater than 0
   * @param iterations how many Newton–Schulz iterations an inverse takes, at least 1
   */
  public SparseInverse(int steps, double sparsity, double rate, int iterations) {
    this.steps = steps;
    this.sparsity = sparsity;
    this.rate = rate;
    this.iterations = iterations;
  }

  private double rate(int step) {
    return rate * (steps - step) / steps;
  }

  /**
   * The forward pass.
   *
   * @param matrices Σ [N, n, n] in C order, not changed
   * @param saved what the backward pass needs
   * @return Θ [N, n, n]
   * @throws ArithmeticException if a matrix has a negative eigenvalue that shows, or the steps lead
   *     to one
   */
  public INDArray forward(INDArray matrices, Saved saved) {
    INDArray factors = saved.keep(INVERSE_TRACES, InverseIteration.inverseTraces(matrices));
    INDArray a = saved.keep(NORMALISED, matrices.mul(factors));
    INDArray theta = symmetricInverse(a);
    for (int step = 0; step < steps; step++) {
      saved.keep(ESTIMATE + step, theta);
      INDArray slope = a.sub(symmetricInverse(theta));
      double rate = rate(step);
      INDArray positive = positive(theta.dup()).subi(slope.add(sparsity).muli(rate));
      INDArray negative = positive(theta.neg()).subi(slope.rsub(sparsity).muli(rate));
      theta = Matrices.symmetricPart(positive(positive).subi(positive(negative)));
    }
    return theta;
  }

  private INDArray symmetricInverse(INDArray matrices) {
    return Matrices.symmetricPart(new InverseIteration(matrices, iterations).inverse());
  }

  /** Replaces what is negative by 0. */
  private static INDArray positive(INDArray array) {
    return array.muli(array.gt(0).castTo(array.dataType()));
  }

  /**
   * The backward pass of the last forward pass.
   *
   * @param gradient the gradient with respect to Θ [N, n, n], not changed; only its symmetric part
   *     counts
   * @param saved what the forward pass kept
   * @return the gradient with respect to Σ [N, n, n]
   */
  public INDArray backward(INDArray gradient, Saved saved) {
    INDArray a = saved.get(NORMALISED);
    INDArray byTheta = Matrices.symmetricPart(gradient);
    INDArray byA = Nd4j.zeros(a.dataType(), a.shape());
    for (int step = steps - 1; step >= 0; step--) {
      INDArray theta = saved.get(ESTIMATE + step);
      InverseIteration iteration = new InverseIteration(theta, iterations);
      INDArray slope = a.sub(Matrices.symmetricPart(iteration.inverse()));
      double rate = rate(step);
      INDArray isPositive = sign(theta, 1);
      INDArray isNegative = sign(theta, -1);
      INDArray up = sign(theta.mul(isPositive).subi(slope.add(sparsity).muli(rate)), 1);
      INDArray down = sign(theta.mul(isNegative).negi().subi(slope.rsub(sparsity).muli(rate)), 1);
      INDArray bySlope = up.add(down).muli(byTheta).muli(-rate);
      byA.addi(bySlope);
      INDArray direct = up.mul(isPositive).addi(down.mul(isNegative)).muli(byTheta);
      byTheta = direct.addi(iteration.backward(bySlope.neg()));
    }
    byA.addi(new InverseIteration(a, iterations).backward(byTheta));
    INDArray factors = saved.get(INVERSE_TRACES);
    INDArray result = byA.muli(factors);
    INDArray byTrace = InverseIteration.inner(result, a).negi();
    return InverseIteration.addToDiagonals(byTrace, MatrixStack.inOrder(result));
  }

  /** 1 where a number has a sign, and 0 elsewhere. */
  private static INDArray sign(INDArray array, int sign) {
    return (sign > 0 ? array.gt(0) : array.lt(0)).castTo(array.dataType());
  }

  /**
   * Defines the forward pass in SameDiff.
   *
   * @param sd where to define it
   * @param matrices Σ [N, n, n]
   * @param n the number of rows
   * @return Θ [N, n, n]
   */
  public SDVariable define(SameDiff sd, SDVariable matrices, long n) {
    SDVariable identity = sd.constant(Nd4j.eye(n).castTo(matrices.dataType()).reshape(1, n, n));
    SDVariable a = matrices.mul(inverseTrace(sd, matrices, identity, n));
    SDVariable theta = defineInverse(sd, a, identity, n);
    for (int step = 0; step < steps; step++) {
      SDVariable slope = a.sub(defineInverse(sd, theta, identity, n)).mul(rate(step));
      double threshold = rate(step) * sparsity;
      SDVariable positive = positivePart(sd, theta).sub(slope).sub(threshold);
      SDVariable negative = positivePart(sd, theta.neg()).add(slope).sub(threshold);
      theta = positivePart(sd, positive).sub(positivePart(sd, negative));
    }
    return theta;
  }

  private static SDVariable positivePart(SameDiff sd, SDVariable x) {
    return sd.nn().relu(x, 0);
  }

  private static SDVariable inverseTrace(
      SameDiff sd, SDVariable matrices, SDVariable identity, long n) {
    SDVariable trace = sd.reshape(matrices.mul(identity), -1, 1, n * n).sum(true, 2);
    SDVariable usable = sd.gt(trace, NumericPolicy.TRACE_FLOOR).castTo(trace.dataType());
    // 1 where it is not usable, whatever it is there
    return usable.div(trace.mul(usable).add(usable.rsub(1)));
  }

  private SDVariable defineInverse(SameDiff sd, SDVariable x, SDVariable identity, long n) {
    SDVariable factor = inverseTrace(sd, x, identity, n);
    SDVariable y = x.mul(factor);
    SDVariable z = null;
    for (int k = 0; k < iterations; k++) {
      SDVariable product = z == null ? y : sd.mmul(z, y, false, false, false);
      SDVariable step = identity.mul(1.5).sub(product.mul(0.5));
      y = sd.mmul(y, step, false, false, false);
      z = z == null ? step : sd.mmul(step, z, false, false, false);
    }
    return sd.mmul(z, z, false, false, false).mul(factor);
  }
}
