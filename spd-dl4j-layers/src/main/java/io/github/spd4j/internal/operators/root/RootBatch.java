/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.root;

import static io.github.spd4j.internal.backend.MatrixStack.diagonals;

import io.github.spd4j.internal.backend.Algebra;
import io.github.spd4j.internal.backend.ForwardPass;
import io.github.spd4j.linalg.NumericPolicy;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** {@link Root} over an {@link Algebra}, a whole batch at a time. */
final class RootBatch implements Root {

  private static final String NORMALISED = "normalised"; // Σ / tr Σ
  private static final String TRACE = "trace"; // tr Σ [N, 1]
  private static final String INVERSE = "inverse"; // 1 / √tr Σ [N, 1], or 0

  private final int iterations;
  private final Algebra algebra;
  private final Stacks stacks;

  RootBatch(int iterations, Algebra algebra) {
    this.iterations = iterations;
    this.algebra = algebra;
    this.stacks = new Stacks(algebra);
  }

  @Override
  public void forward(INDArray matrices, INDArray roots, ForwardPass saved) {
    DataType type = matrices.dataType();
    INDArray normalised = saved.keep(type, NORMALISED, matrices.shape());
    algebra.copy(matrices, normalised);
    INDArray trace = saved.keep(TRACE, diagonals(normalised).sum(true, 1));
    INDArray inverse = saved.keep(INVERSE, trace.dup());
    algebra.inverseRoots(inverse, 1, NumericPolicy.TRACE_FLOOR);
    stacks.scale(normalised, inverse.mul(inverse));
    algebra.copy(iteration(normalised, saved).forward(normalised), roots);
    check(matrices, roots, trace);
    stacks.scale(roots, inverse.mul(trace));
  }

  /** All numbers to be read come in one array, because on a GPU each reading takes time. */
  private void check(INDArray matrices, INDArray y, INDArray trace) {
    INDArray squaredNorms = stacks.inner(y, y);
    INDArray smallest = diagonals(y).min(true, 1);
    INDArray figures = Nd4j.concat(0, trace, squaredNorms, smallest);
    int images = Math.toIntExact(matrices.size(0));
    double[] all = figures.reshape(3L * images).toDoubleVector();
    for (int i = 0; i < images; i++) {
      Root.check(matrices, i, all[i], all[images + i], all[2 * images + i]);
    }
  }

  @Override
  public void backward(INDArray gradient, INDArray matricesGradient, ForwardPass saved) {
    INDArray normalised = saved.get(NORMALISED);
    RootIteration<INDArray> iteration = iteration(normalised, saved);
    INDArray inverseRoot = saved.get(INVERSE);
    INDArray inverse = inverseRoot.mul(inverseRoot);
    INDArray g = iteration.byResult();
    algebra.addTransposed(gradient, 0.5, g);
    INDArray multiplied = stacks.inner(g, iteration.result()).muli(inverseRoot).muli(0.5);
    stacks.scale(g, inverseRoot.mul(saved.get(TRACE)));
    INDArray byA = iteration.backward(normalised);
    INDArray byTrace = multiplied.sub(stacks.inner(byA, normalised).muli(inverse));
    stacks.scale(byA, inverse);
    algebra.copy(byA, matricesGradient);
    stacks.addToDiagonals(byTrace, matricesGradient);
  }

  private RootIteration<INDArray> iteration(INDArray normalised, ForwardPass saved) {
    return new RootIteration<>(iterations, false, stacks.like(normalised, saved.scratch(), ""));
  }
}
