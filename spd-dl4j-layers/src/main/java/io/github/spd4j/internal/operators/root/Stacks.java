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
import io.github.spd4j.internal.backend.Scratch;
import org.nd4j.linalg.api.memory.MemoryWorkspace;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** Stacks of square matrices [N, n, n] by an {@link Algebra}, for one thread at a time. */
final class Stacks {

  private final Algebra algebra;

  /** 3/2 I for each matrix of a stack: a constant of the size at hand. */
  private INDArray threeHalves;

  Stacks(Algebra algebra) {
    this.algebra = algebra;
  }

  /** An uninitialised stack for the time of one pass. */
  static INDArray scratch(String name, INDArray like, ForwardPass saved) {
    return saved.scratch().array(like.dataType(), name, like.shape());
  }

  /** Multiplies each matrix by its factor [N, 1]. */
  void scale(INDArray stack, INDArray factors) {
    algebra.scaleRows(byImage(stack), factors, byImage(stack));
  }

  /** ⟨a, b⟩ of each pair of matrices, [N, 1]. */
  INDArray inner(INDArray a, INDArray b) {
    INDArray products = Nd4j.createUninitialized(a.dataType(), a.size(0), 1);
    algebra.rowProducts(1, byImage(a), byImage(b), products);
    return products;
  }

  /** Adds a number [N, 1] to the diagonal of each matrix. */
  void addToDiagonals(INDArray numbers, INDArray stack) {
    INDArray ones = Nd4j.ones(numbers.dataType(), 1, stack.size(2));
    diagonals(stack).addi(numbers.mmul(ones));
  }

  /**
   * What iterations are made of.
   *
   * @param stack of the size at hand
   * @param scratch where the matrices lie
   * @param name tells those apart that are kept at the same time
   */
  RootIteration.IterationMatrices<INDArray> like(INDArray stack, Scratch scratch, String name) {
    if (threeHalves == null
        || threeHalves.dataType() != stack.dataType()
        || !threeHalves.equalShapes(stack)) {
      try (MemoryWorkspace none = Nd4j.getWorkspaceManager().scopeOutOfWorkspaces()) {
        threeHalves = Nd4j.create(stack.dataType(), stack.shape(), 'c');
      }
      diagonals(threeHalves).assign(1.5);
    }
    return new InScratch(scratch, name);
  }

  private final class InScratch implements RootIteration.IterationMatrices<INDArray> {
    private final Scratch scratch;
    private final String name;

    InScratch(Scratch scratch, String name) {
      this.scratch = scratch;
      this.name = name;
    }

    private INDArray stack(String place) {
      return scratch.array(threeHalves.dataType(), place, threeHalves.shape());
    }

    @Override
    public INDArray kept(RootIteration.Kind kind, int iteration) {
      return stack(name + kind.name() + iteration);
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
