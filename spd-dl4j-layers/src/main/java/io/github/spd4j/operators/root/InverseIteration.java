/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.operators.root;

import io.github.spd4j.backend.MatrixStack;
import io.github.spd4j.linalg.Matrices;
import io.github.spd4j.linalg.NumericPolicy;
import java.util.ArrayList;
import java.util.List;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * The inverses of a stack of symmetric positive semidefinite matrices, by so many coupled
 * Newton–Schulz iterations: {@code Y₀ = X / tr X, Z₀ = I}, {@code T = (3I − Z Y) / 2, Y ← Y T, Z ←
 * T Z}, and {@code Z² / tr X ≈ X⁻¹}. Eigenvalues that are too small for the iterations have an
 * inverse of about {@code 1.5²ᴺ / tr X}. The backward pass is the derivative of exactly these
 * iterations, and is given the same matrices: nothing is kept in between.
 */
final class InverseIteration {

  /** How much larger than possible the inverse root of a definite matrix may be. */
  private static final double DIVERGED = 2;

  private final int iterations;
  private final INDArray matrices;
  private final INDArray inverseTraces; // [N, 1, 1], 0 where the trace is not above its floor
  private final INDArray threeHalves;
  private final List<INDArray> steps = new ArrayList<>();
  private final List<INDArray> roots = new ArrayList<>();
  private final List<INDArray> inverseRoots = new ArrayList<>();

  /** Runs the iterations for X [N, n, n], in C order. */
  InverseIteration(INDArray matrices, int iterations) {
    this.iterations = iterations;
    this.matrices = matrices;
    this.inverseTraces = inverseTraces(matrices);
    long n = matrices.size(1);
    this.threeHalves = Nd4j.eye(n).castTo(matrices.dataType()).muli(1.5).reshape(1, n, n);
    INDArray y = matrices.mul(inverseTraces);
    INDArray z = null;
    for (int k = 0; k < iterations; k++) {
      INDArray step = threeHalves.sub((z == null ? y : Matrices.product(z, y)).mul(0.5));
      roots.add(y);
      inverseRoots.add(z);
      steps.add(step);
      if (k < iterations - 1) {
        y = Matrices.product(y, step);
      }
      z = z == null ? step : Matrices.product(step, z);
    }
    inverseRoots.add(z);
    double largest = z.amaxNumber().doubleValue();
    if (!(largest <= DIVERGED * Math.pow(1.5, iterations))) {
      throw new ArithmeticException(
          "expected positive semidefinite matrices all along, got one with negative eigenvalues. "
              + "Where the input is semidefinite (take no Rectifier.RELU before this layer), take "
              + "a smaller rate, less sparsity or fewer steps");
    }
  }

  /** 1 / tr X, or 0 where the trace is not above its floor, [N, 1, 1]. */
  static INDArray inverseTraces(INDArray matrices) {
    INDArray traces = MatrixStack.diagonals(matrices).sum(true, 1);
    INDArray usable = traces.gt(NumericPolicy.TRACE_FLOOR).castTo(traces.dataType());
    INDArray divisors = traces.mul(usable).addi(usable.rsub(1));
    return usable.divi(divisors).reshape(-1, 1, 1);
  }

  /** About X⁻¹, [N, n, n]. */
  INDArray inverse() {
    return squaredRoot().muli(inverseTraces);
  }

  private INDArray squaredRoot() {
    INDArray z = inverseRoots.get(iterations);
    return Matrices.product(z, z);
  }

  /**
   * The gradient with respect to X. Nothing is transposed on the way back: X is symmetric, and so
   * is all that the iterations make of it.
   *
   * @param gradient the gradient with respect to the inverse, symmetric
   */
  INDArray backward(INDArray gradient) {
    INDArray z = inverseRoots.get(iterations);
    INDArray product = Matrices.product(gradient, z);
    INDArray byZ = product.add(Matrices.transpose(product)).muli(inverseTraces);
    INDArray byY = null;
    for (int k = iterations - 1; k > 0; k--) {
      INDArray y = roots.get(k);
      INDArray previous = inverseRoots.get(k);
      INDArray step = steps.get(k);
      INDArray byStep = Matrices.product(byZ, previous);
      if (byY != null) {
        byStep.addi(Matrices.product(y, byY));
      }
      INDArray nextZ = Matrices.product(step, byZ).subi(Matrices.product(byStep, y).muli(0.5));
      INDArray nextY = Matrices.product(previous, byStep).muli(-0.5);
      if (byY != null) {
        nextY.addi(Matrices.product(byY, step));
      }
      byZ = nextZ;
      byY = nextY;
    }
    INDArray byNormalised = byZ.mul(-0.5);
    if (byY != null) {
      byNormalised.subi(Matrices.product(roots.get(0), byY).muli(0.5));
      byNormalised.addi(Matrices.product(byY, steps.get(0)));
    }
    byNormalised = Matrices.symmetricPart(byNormalised);
    INDArray byFactor = inner(gradient, squaredRoot()).addi(inner(byNormalised, matrices));
    INDArray byTrace = byFactor.muli(inverseTraces).muli(inverseTraces).negi();
    INDArray result = byNormalised.muli(inverseTraces);
    return addToDiagonals(byTrace, result);
  }

  /** ⟨a, b⟩ of each pair of matrices, [N, 1, 1]. */
  static INDArray inner(INDArray a, INDArray b) {
    return a.mul(b).sum(1, 2).reshape(-1, 1, 1);
  }

  /** Adds a number [N, 1, 1] to the diagonal of each matrix. */
  static INDArray addToDiagonals(INDArray numbers, INDArray matrices) {
    INDArray ones = Nd4j.ones(matrices.dataType(), 1, matrices.size(1));
    MatrixStack.diagonals(matrices).addi(numbers.reshape(-1, 1).mmul(ones));
    return matrices;
  }
}
