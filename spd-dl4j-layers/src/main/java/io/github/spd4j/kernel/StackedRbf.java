/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.kernel;

import static org.nd4j.linalg.indexing.NDArrayIndex.all;
import static org.nd4j.linalg.indexing.NDArrayIndex.interval;
import static org.nd4j.linalg.indexing.NDArrayIndex.point;

import io.github.spd4j.linalg.MatrixLibrary;
import io.github.spd4j.linalg.MatrixStack;
import io.github.spd4j.linalg.NumericPolicy;
import io.github.spd4j.linalg.Scratch;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.BooleanIndexing;
import org.nd4j.linalg.indexing.conditions.Conditions;
import org.nd4j.linalg.ops.transforms.Transforms;

/**
 * {@link RbfKernel} with a constant bandwidth by a {@link MatrixLibrary}: what makes distances of a
 * Gram matrix is a product too, {@code D = [n 1] [1 n]ᵀ − 2 F Fᵀ} with the squared norms n.
 */
public final class StackedRbf {

  private final Bandwidth bandwidth;
  private final MatrixLibrary library;
  private final Scratch scratch = new Scratch();

  /** The feature maps without their mean, and K, of the last forward pass. */
  private INDArray centred;

  private INDArray kernel;

  /** −1/(2σ²) of the images [N, 1, 1]. */
  private INDArray factor;

  /**
   * The computation of a kernel.
   *
   * @param kernel one that {@link FusedRbf#covers}
   * @param library the library
   */
  public StackedRbf(Kernel kernel, MatrixLibrary library) {
    this.bandwidth = ((RbfKernel) kernel).bandwidth();
    this.library = library;
  }

  /**
   * The forward pass.
   *
   * @param maps F [N, C, P]; not changed
   * @return K [N, C, C], which the backward pass needs; valid until then
   */
  public INDArray forward(INDArray maps) {
    int images = (int) maps.size(0);
    long channels = maps.size(1);
    centred = scratch.array(maps.dataType(), "centred", maps.shape()).assign(maps);
    centred.subi(centred.mean(true, 1));
    kernel = scratch.array(maps.dataType(), "kernel", images, channels, channels);
    MatrixStack rows = MatrixStack.of(centred);
    library.multiply(rows, rows.transpose(), MatrixStack.of(kernel), images, 0);
    distances(maps.size(2));
    factor = factor(sigma(channels));
    return Transforms.exp(kernel.muli(factor), false);
  }

  /** Replaces the Gram matrices by squared distances, zero where they cannot be told from it. */
  private void distances(long pixels) {
    long images = kernel.size(0);
    long channels = kernel.size(1);
    double kept = 1 - NumericPolicy.distanceRounding(kernel.dataType(), pixels);
    INDArray norms =
        kernel
            .reshape(images, channels * channels)
            .get(
                all(),
                interval(0, Math.min(channels + 1, channels * channels), channels * channels))
            .mul(kept);
    INDArray left = Nd4j.ones(kernel.dataType(), images, channels, 2);
    left.get(all(), all(), point(0)).assign(norms);
    INDArray right = Nd4j.ones(kernel.dataType(), images, 2, channels);
    right.get(all(), point(1), all()).assign(norms);
    library.multiply(
        MatrixStack.of(left), MatrixStack.of(right), MatrixStack.of(kernel), (int) images, -2);
    Transforms.relu(kernel, false);
  }

  private INDArray sigma(long channels) {
    if (bandwidth.isFixed()) {
      return Nd4j.valueArrayOf(
          new long[] {kernel.size(0), 1, 1}, bandwidth.fixedValue(), kernel.dataType());
    }
    INDArray roots = scratch.array(kernel.dataType(), "square", kernel.shape()).assign(kernel);
    INDArray sum = Transforms.sqrt(roots, false).sum(true, 1, 2);
    INDArray mean = sum.muli(bandwidth.meanDistanceSlope(channels));
    return Transforms.max(mean, NumericPolicy.SIGMA_FLOOR, false);
  }

  /** −1/(2σ²), and 0 where all maps of the image are equal: there nothing depends on them. */
  private static INDArray factor(INDArray sigma) {
    INDArray inverse = sigma.rdiv(1);
    BooleanIndexing.replaceWhere(
        inverse, 0, Conditions.greaterThanOrEqual(1 / (2 * NumericPolicy.SIGMA_FLOOR)));
    return inverse.mul(inverse).muli(-0.5);
  }

  /**
   * The backward pass of the last forward pass.
   *
   * @param gradient ∂L/∂K [N, C, C]; not changed
   * @return ∂L/∂F [N, C, P], valid until the next pass
   */
  public INDArray backward(INDArray gradient) {
    int images = (int) kernel.size(0);
    INDArray byDistance = kernel.muli(gradient).muli(factor);
    INDArray both = scratch.array(kernel.dataType(), "square", kernel.shape());
    library.addTransposed(byDistance, 1, both);
    INDArray result = scratch.array(kernel.dataType(), "result", centred.shape()).assign(centred);
    result.muli(both.sum(true, 2));
    library.multiply(
        MatrixStack.of(both), MatrixStack.of(centred), MatrixStack.of(result), images, -1);
    return result.muli(-2);
  }
}
