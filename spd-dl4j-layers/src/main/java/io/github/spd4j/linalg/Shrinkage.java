/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.linalg;

import io.github.spd4j.internal.backend.Arguments;
import io.github.spd4j.internal.backend.Definitions;
import io.github.spd4j.internal.backend.MatrixStack;
import java.util.Objects;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * Shrinks symmetric matrices towards a multiple of the identity, and makes them one size.
 *
 * <pre>
 * X' = (1 − α) X + α (tr X / n) I        shrinkage: the trace stays
 * X' = n X / tr X                        trace normalisation: eigenvalues of mean 1
 * </pre>
 *
 * <p>A matrix whose trace is not above {@link NumericPolicy#TRACE_FLOOR} becomes zero by the
 * normalisation, and has no gradient. Functions of arrays take single matrices [n, n] or stacks [N,
 * n, n], and return the same shape and type.
 */
public final class Shrinkage {

  private Shrinkage() {}

  /**
   * {@code (1 − α) X + α (tr X / n) I}.
   *
   * @param matrices X [n, n] or [N, n, n]
   * @param alpha α, from 0 to 1
   * @return a new array
   * @throws NotFiniteException if there is NaN or infinity in the matrices
   */
  public static INDArray shrunk(INDArray matrices, double alpha) {
    requireMatrices(matrices);
    return linear(matrices, alpha);
  }

  private static INDArray linear(INDArray matrices, double alpha) {
    if (!(alpha >= 0 && alpha <= 1)) {
      throw Arguments.refused("alpha", "a number from 0 to 1", alpha);
    }
    INDArray result = stack(matrices).mul(1 - alpha);
    INDArray means = traces(matrices).muli(alpha / matrices.size(-1));
    return addToDiagonals(means, result).reshape(matrices.shape());
  }

  /**
   * The gradient of {@link #shrunk} with respect to X.
   *
   * @param gradient the gradient with respect to its result, [n, n] or [N, n, n]
   * @param alpha α
   * @return a new array
   */
  public static INDArray byMatrices(INDArray gradient, double alpha) {
    return linear(Arguments.squares(gradient, "gradient"), alpha); // it is symmetric
  }

  /**
   * The gradient of {@link #shrunk} with respect to α.
   *
   * @param matrices X [n, n] or [N, n, n]
   * @param gradient the gradient with respect to the result, of the same shape
   * @return a number, the sum over the matrices
   */
  public static double byAlpha(INDArray matrices, INDArray gradient) {
    requireMatrices(matrices);
    Arguments.shaped(gradient, "gradient", matrices);
    INDArray means = traces(matrices).muli(traces(gradient)).divi(matrices.size(-1));
    double shrinking = matrices.mul(gradient).sumNumber().doubleValue();
    return means.sumNumber().doubleValue() - shrinking;
  }

  /**
   * {@code n X / tr X}.
   *
   * @param matrices X [n, n] or [N, n, n]
   * @return a new array
   * @throws ArithmeticException if a trace is negative
   * @throws NotFiniteException if there is NaN or infinity in the matrices
   */
  public static INDArray normalized(INDArray matrices) {
    requireMatrices(matrices);
    INDArray traces = traces(matrices);
    double least = traces.minNumber().doubleValue();
    if (least < -NumericPolicy.TRACE_FLOOR) {
      throw new ArithmeticException(
          "matrices: expected matrices with a trace that is not negative, got a trace of " + least);
    }
    return stack(matrices).mul(factors(traces, matrices.size(-1))).reshape(matrices.shape());
  }

  /**
   * The gradient of {@link #normalized} with respect to X.
   *
   * @param matrices X [n, n] or [N, n, n]
   * @param gradient the gradient with respect to its result, of the same shape
   * @return a new array
   */
  public static INDArray byUnnormalized(INDArray matrices, INDArray gradient) {
    requireMatrices(matrices);
    Arguments.shaped(gradient, "gradient", matrices);
    long n = matrices.size(-1);
    INDArray factors = factors(traces(matrices), n);
    INDArray result = stack(gradient).mul(factors);
    // ⟨n G / tr X, n X / tr X⟩ / n
    INDArray inner = result.mul(stack(matrices)).mul(factors).sum(1, 2).divi(-n).reshape(-1, 1);
    return addToDiagonals(inner, result).reshape(matrices.shape());
  }

  /**
   * Defines {@link #normalized} in SameDiff.
   *
   * @param sd where to define it
   * @param matrices X [N, n, n]
   * @param n the number of rows
   * @return [N, n, n]
   */
  public static SDVariable defineNormalized(SameDiff sd, SDVariable matrices, long n) {
    requireDefinition(sd, matrices, n);
    SDVariable trace = trace(sd, matrices, n);
    SDVariable usable = sd.gt(trace, NumericPolicy.TRACE_FLOOR).castTo(trace.dataType());
    // 1 where it is not usable, whatever it is there
    SDVariable divisor = trace.mul(usable).add(usable.rsub(1));
    return matrices.mul(usable.div(divisor).mul(n));
  }

  /**
   * Defines {@link #shrunk} in SameDiff.
   *
   * @param sd where to define it
   * @param matrices X [N, n, n]
   * @param n the number of rows
   * @param alpha α, one number
   * @return [N, n, n]
   */
  public static SDVariable defineShrunk(
      SameDiff sd, SDVariable matrices, long n, SDVariable alpha) {
    Objects.requireNonNull(alpha, "alpha");
    requireDefinition(sd, matrices, n);
    Arguments.type(alpha.dataType(), "alpha");
    SDVariable target = identity(sd, matrices, n).mul(trace(sd, matrices, n).div(n));
    return matrices.add(target.sub(matrices).mul(sd.reshape(alpha, 1, 1, 1)));
  }

  private static SDVariable identity(SameDiff sd, SDVariable matrices, long n) {
    return Definitions.identity(sd, matrices.dataType(), n);
  }

  private static SDVariable trace(SameDiff sd, SDVariable matrices, long n) {
    return sd.reshape(matrices.mul(identity(sd, matrices, n)), -1, 1, n * n).sum(true, 2);
  }

  private static void requireMatrices(INDArray matrices) {
    Matrices.requireFinite(Arguments.squares(matrices, "matrices"), "matrices");
  }

  private static void requireDefinition(SameDiff sd, SDVariable matrices, long n) {
    Objects.requireNonNull(sd, "sd");
    Arguments.type(Objects.requireNonNull(matrices, "matrices").dataType(), "matrices");
    Arguments.atLeast(n, 1, "n");
  }

  /** [N, n, n] in C order. */
  private static INDArray stack(INDArray matrices) {
    return Matrices.stacked(MatrixStack.inOrder(matrices));
  }

  /** [N, 1]. */
  private static INDArray traces(INDArray matrices) {
    return MatrixStack.diagonals(stack(matrices)).sum(true, 1);
  }

  /** n / tr X, or 0 where the trace is not above its floor, [N, 1, 1]. */
  private static INDArray factors(INDArray traces, long n) {
    INDArray usable = traces.gt(NumericPolicy.TRACE_FLOOR).castTo(traces.dataType());
    INDArray divisors = traces.mul(usable).addi(usable.rsub(1));
    return usable.divi(divisors).muli(n).reshape(-1, 1, 1);
  }

  /** Adds a number [N, 1] to the diagonal of each matrix. */
  private static INDArray addToDiagonals(INDArray numbers, INDArray matrices) {
    INDArray ones = Nd4j.ones(matrices.dataType(), 1, matrices.size(1));
    MatrixStack.diagonals(matrices).addi(numbers.mmul(ones));
    return matrices;
  }
}
