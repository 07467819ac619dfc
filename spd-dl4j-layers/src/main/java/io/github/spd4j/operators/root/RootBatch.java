/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.operators.root;

import static org.nd4j.linalg.indexing.NDArrayIndex.all;
import static org.nd4j.linalg.indexing.NDArrayIndex.interval;

import io.github.spd4j.backend.Algebra;
import io.github.spd4j.backend.MatrixStack;
import io.github.spd4j.backend.Scratch;
import io.github.spd4j.linalg.NumericPolicy;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.BooleanIndexing;
import org.nd4j.linalg.indexing.conditions.Conditions;
import org.nd4j.linalg.ops.transforms.Transforms;

/** {@link RootGraph} by a {@link Algebra}, in arrays that are used again. */
public final class RootBatch {

  private final RootIteration<INDArray> iteration;
  private final Algebra library;
  private final Scratch scratch = new Scratch();

  private int images;
  private long n;
  private DataType type;
  private INDArray identity;
  private INDArray threeHalves;

  /** Σ / tr Σ. */
  private INDArray normalised;

  /** 1 / tr Σ [N], or 0. */
  private INDArray inverse;

  /**
   * Square roots.
   *
   * @param iterations at least 1
   * @param library the library
   */
  public RootBatch(int iterations, Algebra library) {
    this.iteration = new RootIteration<>(iterations, new Stacks());
    this.library = library;
  }

  /**
   * The forward pass.
   *
   * @param matrices Σ [N, n, n]; not changed
   * @param roots where the roots [N, n, n] go
   */
  public void forward(INDArray matrices, INDArray roots) {
    prepare(matrices);
    normalised = room("normalised").assign(matrices);
    inverse = diagonals(normalised).sum(true, 1).reshape(images).rdivi(1);
    // Also where the trace is negative, which no matrix with a root has.
    BooleanIndexing.replaceWhere(
        inverse, 0, Conditions.greaterThanOrEqual(1 / NumericPolicy.TRACE_FLOOR));
    BooleanIndexing.replaceWhere(inverse, 0, Conditions.lessThan(0));
    library.scaleRows(byImage(normalised), inverse, byImage(normalised));
    roots.assign(iteration.forward(normalised));
    library.scaleRows(byImage(roots), rootOfTrace(), byImage(roots));
  }

  /** √(tr Σ) [N], or 0. */
  private INDArray rootOfTrace() {
    INDArray root = Transforms.sqrt(inverse).rdivi(1);
    BooleanIndexing.replaceWhere(root, 0, Conditions.isInfinite());
    return root;
  }

  private void prepare(INDArray matrices) {
    images = (int) matrices.size(0);
    boolean others = identity == null || n != matrices.size(1) || type != matrices.dataType();
    n = matrices.size(1);
    type = matrices.dataType();
    if (others) {
      identity = Nd4j.eye(n).castTo(type);
    }
    if (others || threeHalves.size(0) != images) {
      threeHalves = Nd4j.createUninitialized(type, images, n, n).assign(0);
      diagonals(threeHalves).assign(1.5);
    }
  }

  /**
   * The backward pass of the last forward pass.
   *
   * @param gradient G, the gradient with respect to the roots [N, n, n], not changed; only its
   *     symmetric part counts
   * @param byMatrices where the gradient with respect to the matrices [N, n, n] goes
   */
  public void backward(INDArray gradient, INDArray byMatrices) {
    INDArray g = iteration.byRoot();
    library.addTransposed(gradient, 0.5, g);
    INDArray rootOfTrace = rootOfTrace();
    INDArray multiplied =
        inner(g, iteration.root(), "byRoot").muli(rootOfTrace).muli(inverse).muli(0.5);
    library.scaleRows(byImage(g), rootOfTrace, byImage(g));
    INDArray byA = iteration.backward(normalised);
    INDArray byTrace = multiplied.subi(inner(byA, normalised, "byTrace").muli(inverse));
    library.scaleRows(byImage(byA), inverse, byImage(byA));
    byMatrices.assign(byA);
    INDArray diagonals = diagonals(byMatrices);
    diagonals.addi(byTrace.reshape(images, 1).mmul(Nd4j.ones(type, 1, n)));
  }

  private INDArray diagonals(INDArray stack) {
    return byImage(stack).get(all(), interval(0, Math.min(n + 1, n * n), n * n));
  }

  private static INDArray byImage(INDArray stack) {
    return stack.reshape(stack.size(0), stack.size(1) * stack.size(2));
  }

  /** ⟨a, b⟩ of each pair of matrices, [N]. */
  private INDArray inner(INDArray a, INDArray b, String name) {
    INDArray products = scratch.array(type, name, images);
    library.rowProducts(1, byImage(a), byImage(b), products);
    return products;
  }

  private INDArray room(String name) {
    return scratch.array(type, name, images, n, n);
  }

  /** Products by the library. */
  private final class Stacks implements RootIteration.Algebra<INDArray> {

    @Override
    public INDArray kept(RootIteration.Kind kind, int number) {
      return room(kind.name() + number);
    }

    @Override
    public INDArray passing(int place) {
      return room("passing" + place);
    }

    @Override
    public void multiply(
        double alpha, INDArray a, boolean ofA, INDArray b, boolean ofB, double beta, INDArray c) {
      MatrixStack left = MatrixStack.of(a);
      MatrixStack right = MatrixStack.of(b);
      library.multiply(
          alpha,
          ofA ? left.transpose() : left,
          ofB ? right.transpose() : right,
          beta,
          MatrixStack.of(c),
          images);
    }

    @Override
    public void setThreeHalves(INDArray c) {
      c.assign(threeHalves);
    }

    @Override
    public void add(double alpha, INDArray a, INDArray c) {
      library.multiply(
          alpha, MatrixStack.of(a), MatrixStack.of(identity), 1, MatrixStack.of(c), images);
    }
  }
}
