/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.operators.root;

import static io.github.spd4j.backend.MatrixStack.byImage;
import static io.github.spd4j.backend.MatrixStack.diagonals;

import io.github.spd4j.backend.Algebra;
import io.github.spd4j.backend.MatrixStack;
import io.github.spd4j.backend.Saved;
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

  /** 3/2 I for each image of a batch: a constant of the size at hand. */
  private INDArray threeHalves;

  RootBatch(int iterations, Algebra algebra) {
    this.iterations = iterations;
    this.algebra = algebra;
  }

  @Override
  public void forward(INDArray matrices, INDArray roots, Saved saved) {
    DataType type = matrices.dataType();
    if (threeHalves == null || !threeHalves.equalShapes(matrices)) {
      threeHalves = Nd4j.createUninitialized(type, matrices.shape(), 'c').assign(0);
      diagonals(threeHalves).assign(1.5);
    }
    INDArray normalised = saved.keep(type, NORMALISED, matrices.shape());
    algebra.copy(matrices, normalised);
    INDArray trace = saved.keep(TRACE, diagonals(normalised).sum(true, 1));
    INDArray inverse = saved.keep(INVERSE, trace.dup());
    algebra.inverseRoots(inverse, 1, NumericPolicy.TRACE_FLOOR);
    scale(normalised, inverse.mul(inverse));
    algebra.copy(iteration(saved).forward(normalised), roots);
    check(matrices, roots, trace);
    scale(roots, inverse.mul(trace));
  }

  /** All numbers to be looked at come in one array, because on a GPU each look takes time. */
  private void check(INDArray matrices, INDArray y, INDArray trace) {
    INDArray squaredNorms = inner(y, y);
    INDArray smallest = diagonals(y).min(true, 1);
    INDArray figures = Nd4j.concat(0, trace, squaredNorms, smallest);
    int images = Math.toIntExact(matrices.size(0));
    double[] all = figures.reshape(3L * images).toDoubleVector();
    for (int i = 0; i < images; i++) {
      Root.check(matrices, i, all[i], all[images + i], all[2 * images + i]);
    }
  }

  @Override
  public void backward(INDArray gradient, INDArray matricesGradient, Saved saved) {
    RootIteration<INDArray> iteration = iteration(saved);
    INDArray normalised = saved.get(NORMALISED);
    INDArray inverseRoot = saved.get(INVERSE);
    INDArray inverse = inverseRoot.mul(inverseRoot);
    INDArray g = iteration.byRoot();
    algebra.addTransposed(gradient, 0.5, g);
    INDArray multiplied = inner(g, iteration.root()).muli(inverseRoot).muli(0.5);
    scale(g, inverseRoot.mul(saved.get(TRACE)));
    INDArray byA = iteration.backward(normalised);
    INDArray byTrace = multiplied.sub(inner(byA, normalised).muli(inverse));
    scale(byA, inverse);
    algebra.copy(byA, matricesGradient);
    INDArray ones = Nd4j.ones(byTrace.dataType(), 1, gradient.size(2));
    diagonals(matricesGradient).addi(byTrace.mmul(ones));
  }

  private RootIteration<INDArray> iteration(Saved saved) {
    return new RootIteration<>(iterations, new Stacks(saved));
  }

  private void scale(INDArray stack, INDArray factors) {
    algebra.scaleRows(byImage(stack), factors, byImage(stack));
  }

  /** ⟨a, b⟩ of each pair of matrices, [N, 1]. */
  private INDArray inner(INDArray a, INDArray b) {
    INDArray products = Nd4j.createUninitialized(a.dataType(), a.size(0), 1);
    algebra.rowProducts(1, byImage(a), byImage(b), products);
    return products;
  }

  /** Products by the algebra. */
  private final class Stacks implements RootIteration.Matrices<INDArray> {
    private final Saved saved;

    Stacks(Saved saved) {
      this.saved = saved;
    }

    private INDArray stack(String name) {
      return saved.scratch().array(threeHalves.dataType(), name, threeHalves.shape());
    }

    @Override
    public INDArray kept(RootIteration.Kind kind, int number) {
      return stack(kind.name() + number);
    }

    @Override
    public INDArray passing(int place) {
      return stack("passing" + place);
    }

    @Override
    public void multiply(double alpha, INDArray a, INDArray b, double beta, INDArray c) {
      int count = (int) c.size(0);
      algebra.multiply(alpha, MatrixStack.of(a), MatrixStack.of(b), beta, MatrixStack.of(c), count);
    }

    @Override
    public void setThreeHalves(INDArray c) {
      algebra.copy(threeHalves, c);
    }

    @Override
    public void add(double alpha, INDArray a, INDArray c) {
      algebra.add(alpha, a, c);
    }
  }
}
