/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.operators.radial;

import io.github.spd4j.backend.Algebra;
import io.github.spd4j.backend.MatrixStack;
import io.github.spd4j.backend.Scratch;
import io.github.spd4j.kernel.Bandwidth;
import io.github.spd4j.kernel.Kernel;
import io.github.spd4j.kernel.RadialKernel;
import io.github.spd4j.kernel.RbfKernel;
import io.github.spd4j.linalg.NumericPolicy;
import java.util.Map;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * {@link RbfKernel} with a constant bandwidth by a {@link Algebra}, in arrays that are used again:
 * on a GPU a new one costs more than what is computed in it.
 */
public final class RadialBatch {

  private final RbfKernel rbf;
  private final Algebra library;
  private final Scratch scratch = new Scratch();

  /** The feature maps without their mean, and K, of the last forward pass. */
  private INDArray centred;

  private INDArray kernel;

  /** −1/(2σ²) of the images [N]. */
  private INDArray factor;

  /** C ones, one below the other. */
  private INDArray ones;

  /**
   * The computation of a kernel.
   *
   * @param kernel one that {@link RadialHost#covers}
   * @param library the library
   */
  public RadialBatch(Kernel kernel, Algebra library) {
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
    DataType type = maps.dataType();
    if (ones == null || ones.length() != channels || ones.dataType() != type) {
      ones = Nd4j.ones(type, channels, 1);
    }
    centre(maps, images);
    kernel = scratch.array(type, "kernel", images, channels, channels);
    MatrixStack rows = MatrixStack.of(centred);
    library.multiply(1, rows, rows.transpose(), 0, MatrixStack.of(kernel), images);
    INDArray norms = scratch.array(type, "norms", images, channels);
    INDArray sums = scratch.array(type, "rows", images, channels);
    double kept = 1 - NumericPolicy.distanceRounding(type, maps.size(2));
    library.squaredDistances(kernel, kept, norms, sums);
    factor = factor(rbf.bandwidth(parameters), sums);
    library.exponentials(kernel, factor);
    return kernel;
  }

  /** Subtracts from each map the mean of all maps. */
  private void centre(INDArray maps, int images) {
    centred = scratch.array(maps.dataType(), "centred", maps.shape()).assign(maps);
    MatrixStack target = MatrixStack.of(centred);
    INDArray mean = scratch.array(maps.dataType(), "mean", images, 1, maps.size(2));
    MatrixStack column = MatrixStack.of(ones);
    double share = 1.0 / maps.size(1);
    library.multiply(share, column.transpose(), target, 0, MatrixStack.of(mean), images);
    library.multiply(-1, column, MatrixStack.of(mean), 1, target, images);
  }

  /**
   * −1/(2σ²) [N], and 0 where all maps of the image are equal: there nothing depends on them.
   *
   * @param sums the sums of the distances from each map [N, C]
   */
  private INDArray factor(Bandwidth bandwidth, INDArray sums) {
    if (bandwidth.isFixed()) {
      double sigma = bandwidth.fixedValue();
      INDArray constant = scratch.array(sums.dataType(), "factor", sums.size(0));
      return constant.assign(-0.5 / (sigma * sigma));
    }
    INDArray squares = rowSums(sums, "factor").reshape(sums.size(0));
    double slope = bandwidth.meanDistanceSlope(sums.size(1)); // σ by the sum of the distances
    double bound = 2 * NumericPolicy.SIGMA_FLOOR / slope;
    library.inverseSquares(squares, -0.5 / (slope * slope), bound);
    return squares;
  }

  private INDArray rowSums(INDArray matrix, String name) {
    INDArray sums = scratch.array(matrix.dataType(), name, matrix.size(0), 1);
    library.multiply(1, MatrixStack.of(matrix), MatrixStack.of(ones), 0, MatrixStack.of(sums), 1);
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
    library.scaleRows(byImage(byDistance), factor, byImage(byDistance));
    INDArray both = scratch.array(kernel.dataType(), "square", kernel.shape());
    library.addTransposed(byDistance, 1, both);
    INDArray sums = rowSums(both.reshape(images * channels, channels), "both");
    long pixels = centred.size(2);
    library.scaleRows(
        centred.reshape(images * channels, pixels),
        sums,
        byMaps.reshape(images * channels, pixels));
    library.multiply(
        -2, MatrixStack.of(both), MatrixStack.of(centred), 2, MatrixStack.of(byMaps), images);
    if (rbf.bandwidth().isLearnt()) {
      byParameters.get(RadialKernel.LOG_BANDWIDTH).assign(byTheta(byMaps));
    }
  }

  /** −⟨∂L/∂F, F⟩ [1, 1], as {@link RadialHost#backward} says; F is not needed any more. */
  private INDArray byTheta(INDArray byMaps) {
    INDArray products = centred.muli(byMaps);
    INDArray few = rowSums(products.reshape(-1, products.size(1)), "products");
    return few.sum(true, 0, 1).negi();
  }
}
