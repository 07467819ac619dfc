/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.congruence;

import io.github.spd4j.internal.backend.Algebra;
import io.github.spd4j.internal.backend.ForwardPass;
import io.github.spd4j.internal.backend.MatrixStack;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/** {@link Congruence} over an {@link Algebra}: six products of whole batches. */
final class CongruenceBatch implements Congruence {

  private static final String PROJECTED = "projected"; // WᵀK [N, C', C]

  private final Algebra algebra;

  CongruenceBatch(Algebra algebra) {
    this.algebra = algebra;
  }

  @Override
  public void forward(INDArray kernel, INDArray w, INDArray y, ForwardPass saved) {
    int images = (int) kernel.size(0);
    INDArray projected = saved.keep(w.dataType(), PROJECTED, images, w.size(1), w.size(0));
    MatrixStack once = MatrixStack.of(w);
    algebra.multiply(
        1, once.transpose(), MatrixStack.of(kernel), 0, MatrixStack.of(projected), images);
    algebra.multiply(1, rows(projected), once, 0, rows(y), 1);
  }

  @Override
  public void backward(
      INDArray gradient,
      INDArray w,
      INDArray wGradient,
      INDArray kernelGradient,
      ForwardPass saved) {
    DataType type = w.dataType();
    int images = (int) gradient.size(0);
    INDArray symmetric = saved.scratch().array(type, "symmetric", gradient.shape());
    algebra.addTransposed(gradient, 0.5, symmetric);
    INDArray gradW = saved.scratch().array(type, "gradW", w.shape()); // in C order
    MatrixStack projected = rows(saved.get(PROJECTED));
    algebra.multiply(2, projected.transpose(), rows(symmetric), 0, MatrixStack.of(gradW), 1);
    algebra.copy(gradW, wGradient);

    INDArray half = saved.scratch().array(type, "half", images, w.size(1), w.size(0)); // S Wᵀ
    MatrixStack once = MatrixStack.of(w);
    algebra.multiply(1, rows(symmetric), once.transpose(), 0, rows(half), 1);
    algebra.multiply(1, once, MatrixStack.of(half), 0, MatrixStack.of(kernelGradient), images);
  }

  /** All matrices of a stack below each other, as one. */
  private static MatrixStack rows(INDArray stack) {
    return MatrixStack.of(stack.reshape(-1, stack.size(stack.rank() - 1)));
  }
}
