/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.root;

import io.github.spd4j.internal.backend.Backend;
import io.github.spd4j.internal.backend.ForwardPass;
import io.github.spd4j.linalg.Matrices;
import io.github.spd4j.linalg.NotFiniteException;
import io.github.spd4j.linalg.NumericPolicy;
import org.apache.commons.lang3.Validate;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * The square roots of symmetric positive semidefinite matrices, by so many coupled Newton–Schulz
 * iterations and nothing but products.
 *
 * <pre>
 * Y₀ = Σ / tr Σ,  Z₀ = I
 * T = (3I − Z Y) / 2,  Y ← Y T,  Z ← T Z          N times; Y → A^½, Z → A^−½
 * √Σ ≈ √(tr Σ) · Y
 * </pre>
 *
 * <p>The backward pass is the derivative of exactly these iterations, however far they have come. A
 * matrix of zeros, or of no more than {@link NumericPolicy#TRACE_FLOOR}, has the root zero, and no
 * gradient.
 *
 * <p>{@link RootHost} and {@link RootBatch} compute it, both by {@link RootIteration}; {@link
 * RootGraph} defines it in SameDiff.
 */
public interface Root {

  /**
   * The way to compute them on a backend.
   *
   * @param backend the backend
   * @param type the type of the matrices
   * @param iterations N, at least 1
   * @return the operator
   */
  static Root on(Backend backend, DataType type, int iterations) {
    Validate.isTrue(
        iterations >= 1, "expected at least 1 iteration, got iterations = %s", iterations);
    return backend.isFused(type)
        ? new RootHost(iterations)
        : new RootBatch(iterations, backend.algebra());
  }

  /**
   * The forward pass.
   *
   * @param matrices Σ [N, n, n] in C order; not changed
   * @param roots where the roots [N, n, n] go
   * @param saved what the backward pass needs
   * @throws NotFiniteException if there is NaN or infinity in the matrices
   * @throws ArithmeticException if a matrix has a negative eigenvalue that shows in the result
   */
  void forward(INDArray matrices, INDArray roots, ForwardPass saved);

  /**
   * Refuses a matrix that the iterations have not brought to a root. The root of a semidefinite
   * matrix of trace 1 has a squared norm of at most 1, which the iterations reach from below, and a
   * diagonal that is not negative; a negative eigenvalue grows with every iteration.
   *
   * @param matrices Σ [N, n, n], read only if one may be wrong
   * @param example which of them
   * @param trace tr Σ
   * @param squaredNorm ‖Y‖² before it is multiplied by √(tr Σ)
   * @param smallest the smallest entry of the diagonal of that Y
   */
  static void check(
      INDArray matrices, int example, double trace, double squaredNorm, double smallest) {
    double most = 1 + NumericPolicy.INDEFINITE;
    if (trace > NumericPolicy.TRACE_FLOOR
        && squaredNorm <= most
        && smallest >= -NumericPolicy.INDEFINITE) {
      return;
    }
    INDArray matrix = matrices.slice(example);
    if (!Matrices.isFinite(matrix)) {
      throw new NotFiniteException(
          String.format(
              "got NaN or infinity in the matrix of example %s of the batch, expected finite "
                  + "numbers; no parameter was changed",
              example));
    }
    // No entry of a semidefinite matrix is larger than its trace; twice that for rounding.
    double largest = matrix.amaxNumber().doubleValue();
    if (trace <= NumericPolicy.TRACE_FLOOR && largest <= 2 * NumericPolicy.TRACE_FLOOR) {
      return;
    }
    throw new ArithmeticException(
        String.format(
            "expected a positive semidefinite matrix, got one with negative eigenvalues (example "
                + "%s of the batch, trace %s). Put a ReEigLayer before this layer, or a "
                + "KernelAggregationLayer, whose output is semidefinite; take no Rectifier.RELU "
                + "before it. Where the matrix is semidefinite but for rounding, take fewer "
                + "iterations, or DOUBLE",
            example, trace));
  }

  /**
   * The backward pass of the last forward pass.
   *
   * @param gradient the gradient with respect to the roots [N, n, n] in C order, not changed; only
   *     its symmetric part counts
   * @param matricesGradient where the gradient with respect to the matrices [N, n, n] goes
   * @param saved what the forward pass kept
   */
  void backward(INDArray gradient, INDArray matricesGradient, ForwardPass saved);
}
