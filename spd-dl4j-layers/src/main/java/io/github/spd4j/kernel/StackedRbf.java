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
import java.util.Map;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.api.ops.impl.transforms.floating.Sqrt;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.BooleanIndexing;
import org.nd4j.linalg.indexing.conditions.Conditions;
import org.nd4j.linalg.ops.transforms.Transforms;

/**
 * {@link RbfKernel} with a constant bandwidth by a {@link MatrixLibrary}: what makes distances of a
 * Gram matrix is a product too, {@code D = [n 1] [1 n]ᵀ − 2 F Fᵀ} with the squared norms n.
 */
public final class StackedRbf {

  private final RbfKernel rbf;
  private final MatrixLibrary library;
  private final Scratch scratch = new Scratch();

  /** The feature maps without their mean, and K, of the last forward pass. */
  private INDArray centred;

  private INDArray kernel;

  /** −1/(2σ²) of the images [N]. */
  private INDArray factor;

  /** [n 1] and [1 n]ᵀ, of which only n changes from pass to pass. */
  private INDArray left;

  private INDArray right;

  /** C ones. */
  private INDArray ones;

  /**
   * The computation of a kernel.
   *
   * @param kernel one that {@link FusedRbf#covers}
   * @param library the library
   */
  public StackedRbf(Kernel kernel, MatrixLibrary library) {
    this.rbf = (RbfKernel) kernel;
    this.library = library;
  }

  /**
   * The forward pass.
   *
   * @param maps F [N, C, P]; not changed
   * @param parameters the kernel's parameters by name; read once for the whole batch
   * @return K [N, C, C], which the backward pass needs; valid until then
   */
  public INDArray forward(INDArray maps, Map<String, INDArray> parameters) {
    int images = (int) maps.size(0);
    int channels = (int) maps.size(1);
    prepare(maps.dataType(), images, channels);
    centre(maps, images, channels);
    kernel = scratch.array(maps.dataType(), "kernel", images, channels, channels);
    MatrixStack rows = MatrixStack.of(centred);
    library.multiply(1, rows, rows.transpose(), 0, MatrixStack.of(kernel), images);
    distances(maps.size(2));
    factor = factor(rbf.bandwidth(parameters), channels);
    library.scaleRows(byImage(kernel), factor);
    return Transforms.exp(kernel, false);
  }

  private void prepare(DataType type, long images, long channels) {
    if (left == null || left.size(0) != images || left.dataType() != type) {
      left = Nd4j.ones(type, images, channels, 2);
      right = Nd4j.ones(type, images, 2, channels);
      ones = Nd4j.ones(type, channels);
    }
  }

  /** Subtracts from each map the mean of all maps. */
  private void centre(INDArray maps, int images, int channels) {
    centred = scratch.array(maps.dataType(), "centred", maps.shape()).assign(maps);
    MatrixStack target = MatrixStack.of(centred);
    INDArray mean = scratch.array(maps.dataType(), "mean", images, 1, maps.size(2));
    MatrixStack row = MatrixStack.of(ones.reshape(1, channels));
    library.multiply(1.0 / channels, row, target, 0, MatrixStack.of(mean), images);
    library.multiply(-1, row.transpose(), MatrixStack.of(mean), 1, target, images);
  }

  /** Replaces the Gram matrices by squared distances, zero where they cannot be told from it. */
  private void distances(long pixels) {
    long channels = kernel.size(1);
    double kept = 1 - NumericPolicy.distanceRounding(kernel.dataType(), pixels);
    INDArray norms =
        byImage(kernel)
            .get(
                all(),
                interval(0, Math.min(channels + 1, channels * channels), channels * channels));
    left.get(all(), all(), point(0)).assign(norms);
    right.get(all(), point(1), all()).assign(norms);
    library.multiply(
        kept,
        MatrixStack.of(left),
        MatrixStack.of(right),
        -2,
        MatrixStack.of(kernel),
        (int) kernel.size(0));
    Transforms.relu(kernel, false);
  }

  /** −1/(2σ²), and 0 where all maps of the image are equal: there nothing depends on them. */
  private INDArray factor(Bandwidth bandwidth, long channels) {
    if (bandwidth.isFixed()) {
      double sigma = bandwidth.fixedValue();
      return Nd4j.valueArrayOf(
          new long[] {kernel.size(0)}, -0.5 / (sigma * sigma), kernel.dataType());
    }
    INDArray roots = scratch.array(kernel.dataType(), "square", kernel.shape());
    Nd4j.exec(new Sqrt(kernel, roots));
    double numerator = Math.sqrt(0.5) / bandwidth.meanDistanceSlope(channels);
    INDArray root = sums(roots).rdivi(numerator); // 1/(√2 σ)
    BooleanIndexing.replaceWhere(
        root, 0, Conditions.greaterThanOrEqual(Math.sqrt(0.5) / (2 * NumericPolicy.SIGMA_FLOOR)));
    INDArray square = scratch.array(kernel.dataType(), "factor", root.shape()).assign(root);
    return square.muli(root).negi();
  }

  /** The sum of each matrix [N], of the sums of its rows: products, and no reduction. */
  private INDArray sums(INDArray stack) {
    long images = stack.size(0);
    long channels = stack.size(1);
    INDArray byRow = rowSums(stack.reshape(images * channels, channels), "rows");
    return rowSums(byRow.reshape(images, channels), "all").reshape(images);
  }

  private INDArray rowSums(INDArray matrix, String name) {
    INDArray sums = scratch.array(matrix.dataType(), name, matrix.size(0), 1);
    MatrixStack column = MatrixStack.of(ones.reshape(ones.length(), 1));
    library.multiply(1, MatrixStack.of(matrix), column, 0, MatrixStack.of(sums), 1);
    return sums;
  }

  private static INDArray byImage(INDArray stack) {
    return stack.reshape(stack.size(0), stack.size(1) * stack.size(2));
  }

  /**
   * The backward pass of the last forward pass.
   *
   * @param gradient ∂L/∂K [N, C, C]; not changed
   * @param byMaps where ∂L/∂F [N, C, P] goes, in C order
   * @param byParameters where the gradients of the kernel's parameters go, by name
   */
  public void backward(INDArray gradient, INDArray byMaps, Map<String, INDArray> byParameters) {
    int images = (int) kernel.size(0);
    long channels = kernel.size(1);
    INDArray byDistance = kernel.muli(gradient);
    library.scaleRows(byImage(byDistance), factor);
    INDArray both = scratch.array(kernel.dataType(), "square", kernel.shape());
    library.addTransposed(byDistance, 1, both);
    INDArray sums = rowSums(both.reshape(images * channels, channels), "rows");
    byMaps.assign(centred);
    library.scaleRows(byMaps.reshape(images * channels, centred.size(2)), sums);
    library.multiply(
        -2, MatrixStack.of(both), MatrixStack.of(centred), 2, MatrixStack.of(byMaps), images);
    if (rbf.bandwidth().isLearnt()) {
      byParameters.get(RadialKernel.LOG_BANDWIDTH).assign(byTheta(byMaps));
    }
  }

  /** −⟨∂L/∂F, F⟩ [1, 1], as {@link FusedRbf#backward} says; F is not needed any more. */
  private INDArray byTheta(INDArray byMaps) {
    INDArray products = centred.muli(byMaps);
    INDArray few = rowSums(products.reshape(-1, products.size(1)), "products");
    return few.sum(true, 0, 1).negi();
  }
}
