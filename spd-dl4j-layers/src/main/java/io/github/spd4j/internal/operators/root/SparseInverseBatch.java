/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.root;

import static io.github.spd4j.internal.backend.MatrixStack.byImage;
import static io.github.spd4j.internal.backend.MatrixStack.diagonals;

import io.github.spd4j.internal.backend.Algebra;
import io.github.spd4j.internal.backend.ForwardPass;
import io.github.spd4j.internal.backend.MatrixStack;
import io.github.spd4j.linalg.NumericPolicy;
import java.util.List;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.ops.transforms.Transforms;

/**
 * The inverses of stacks of symmetric positive semidefinite matrices, by the iterations of {@link
 * Root}: {@code Z² / tr X ≈ X⁻¹}. Eigenvalues that are too small for the iterations have an inverse
 * of about {@code 1.5²ᴺ / tr X}. The backward pass is the derivative of exactly these iterations.
 */
final class SparseInverseBatch {

  /** How much larger than possible the inverse root of a definite matrix may be. */
  private static final double DIVERGED = 2;

  private final int iterations;
  private final Algebra algebra;
  private final Stacks stacks;

  SparseInverseBatch(int iterations, Algebra algebra) {
    this.iterations = iterations;
    this.algebra = algebra;
    this.stacks = new Stacks(algebra);
  }

  /** The passes of one of the stacks that are inverted for an output. */
  Pass pass(String name, ForwardPass saved) {
    return new Pass(name, saved);
  }

  /** 1 / tr X, or 0 where the trace is not above its floor, [N, 1]. */
  INDArray inverseTraces(INDArray stack) {
    INDArray roots = diagonals(stack).sum(true, 1);
    algebra.inverseRoots(roots, 1, NumericPolicy.TRACE_FLOOR);
    return roots.mul(roots);
  }

  /** The same operations for other work on these stacks. */
  Stacks stacks() {
    return stacks;
  }

  /**
   * Refuses what led to inverse roots that no semidefinite matrix has. All figures are read at
   * once, because on a GPU each reading takes time.
   *
   * @param figures of all passes
   */
  void check(List<INDArray> figures) {
    double possible = Math.pow(1.5, iterations);
    for (double figure : Nd4j.concat(0, figures.toArray(new INDArray[0])).toDoubleVector()) {
      if (!(figure <= DIVERGED * possible)) {
        throw new ArithmeticException(
            "expected positive semidefinite matrices all along, got one with negative eigenvalues. "
                + "Where the input is semidefinite (take no Rectifier.RELU before this layer), "
                + "take a smaller rate, less sparsity or fewer steps");
      }
    }
  }

  /** Forward, and back again. */
  final class Pass {

    private final String normalised; // X / tr X
    private final String factors; // 1 / tr X
    private final String name;
    private final ForwardPass saved;

    private Pass(String name, ForwardPass saved) {
      this.name = name;
      this.normalised = name + "normalised";
      this.factors = name + "factors";
      this.saved = saved;
    }

    private RootIteration<INDArray> iteration(INDArray like) {
      return new RootIteration<>(iterations, true, stacks.like(like, saved.scratch(), name));
    }

    /**
     * About X⁻¹.
     *
     * @param matrices X [N, n, n] in C order, not changed
     * @param inverses [N, n, n] in C order, overwritten
     * @return figures for {@link #check}: the largest entry of each inverse root, and the root of
     *     its mean square by row, which is no larger than its largest eigenvalue
     */
    INDArray forward(INDArray matrices, INDArray inverses) {
      DataType type = matrices.dataType();
      INDArray a = saved.keep(type, normalised, matrices.shape());
      algebra.copy(matrices, a);
      INDArray factor = saved.keep(factors, inverseTraces(a));
      stacks.scale(a, factor);
      INDArray z = iteration(a).forward(a);
      INDArray product = Stacks.scratch("product", a, saved);
      MatrixStack roots = MatrixStack.of(z);
      algebra.multiply(1, roots, roots, 0, MatrixStack.of(product), (int) a.size(0));
      stacks.scale(product, factor);
      algebra.addTransposed(product, 0.5, inverses);
      INDArray sizes = stacks.inner(z, z).divi(a.size(2));
      // NaN is in the second of them, if anywhere
      return Nd4j.concat(0, byImage(z).amax(1), Transforms.sqrt(sizes.ravel()));
    }

    /**
     * The gradient with respect to X.
     *
     * @param gradient the gradient with respect to the inverses, symmetric; not changed
     * @param result [N, n, n] in C order, symmetric; overwritten
     */
    void backward(INDArray gradient, INDArray result) {
      INDArray a = saved.get(normalised);
      INDArray factor = saved.get(factors);
      RootIteration<INDArray> iteration = iteration(a);
      INDArray z = iteration.result();
      INDArray product = Stacks.scratch("product", a, saved);
      int count = (int) a.size(0);
      algebra.multiply(
          1, MatrixStack.of(gradient), MatrixStack.of(z), 0, MatrixStack.of(product), count);
      INDArray byFactor = stacks.inner(product, z).muli(factor);
      algebra.addTransposed(product, 1, iteration.byResult());
      stacks.scale(iteration.byResult(), factor);
      algebra.addTransposed(iteration.backward(a), 0.5, result);
      byFactor.addi(stacks.inner(result, a)).muli(factor).negi();
      stacks.scale(result, factor);
      stacks.addToDiagonals(byFactor, result);
    }
  }
}
