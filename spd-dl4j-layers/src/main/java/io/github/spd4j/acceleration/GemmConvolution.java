/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.acceleration;

import static org.nd4j.linalg.indexing.NDArrayIndex.all;
import static org.nd4j.linalg.indexing.NDArrayIndex.interval;

import io.github.spd4j.backend.Algebra;
import io.github.spd4j.backend.MatrixStack;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.deeplearning4j.nn.workspace.ArrayType;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * A convolution as one product for each tap of the kernel, where DL4J's own writes out all patches.
 *
 * <pre>
 * Y_n[:, p] = b + Σ W_ij · X_n[:, p + (i − top) · width + (j − left)]
 * </pre>
 *
 * <p>X_n is an image as a matrix, channels by places, and lies in memory as such. A shift by rows
 * is only another place to begin; for one by columns the images are {@linkplain ShiftedMaps
 * copied}.
 *
 * <p>For convolutions that keep the size of the image.
 */
final class GemmConvolution extends LibraryConvolution {

  private final Algebra gemm;
  private final Constants constants = new Constants();

  GemmConvolution(Algebra gemm) {
    this.gemm = gemm;
  }

  @Override
  boolean supports(Geometry size, INDArray input) {
    return size.outHeight == size.height && size.outWidth == size.width;
  }

  @Override
  INDArray forward(
      Geometry size,
      INDArray input,
      INDArray weights,
      INDArray bias,
      LayerWorkspaceMgr workspaces) {
    INDArray output =
        workspaces.createUninitialized(
            ArrayType.ACTIVATIONS, input.dataType(), shape(size, size.outputs), 'c');
    MatrixStack result = ShiftedMaps.asMatrices(output);
    INDArray start = MatrixStack.inOrder(bias).reshape(size.outputs, 1);
    MatrixStack ones = constants.ones(input.dataType(), 1, result.columns());
    gemm.multiply(1, MatrixStack.of(start), ones, 0, result, size.batch);
    INDArray taps = taps(size, weights);
    ShiftedMaps maps =
        new ShiftedMaps(input, gemm, constants, workspaces, ArrayType.FF_WORKING_MEM);
    for (Shift shift : shifts(size)) {
      MatrixStack w = MatrixStack.of(taps.slice(shift.tap));
      MatrixStack x = shift.source(maps.movedBy(shift.columns));
      gemm.multiply(1, w, x, 1, shift.target(result), size.batch);
    }
    return output;
  }

  @Override
  INDArray inputGradient(
      Geometry size, INDArray weights, INDArray deltas, LayerWorkspaceMgr workspaces) {
    INDArray gradient =
        workspaces
            .createUninitialized(
                ArrayType.ACTIVATION_GRAD, deltas.dataType(), shape(size, size.channels), 'c')
            .assign(0);
    MatrixStack result = ShiftedMaps.asMatrices(gradient);
    INDArray taps = taps(size, weights);
    ShiftedMaps maps =
        new ShiftedMaps(deltas, gemm, constants, workspaces, ArrayType.BP_WORKING_MEM);
    for (Shift shift : shifts(size)) {
      Shift back = shift.reversed();
      MatrixStack w = MatrixStack.of(taps.slice(shift.tap)).transpose();
      MatrixStack d = back.source(maps.movedBy(back.columns));
      gemm.multiply(1, w, d, 1, back.target(result), size.batch);
    }
    return gradient;
  }

  /** The gradient of a tap is one product an image, and their sum is another. */
  @Override
  void weightGradient(
      Geometry size,
      INDArray input,
      INDArray deltas,
      INDArray gradient,
      LayerWorkspaceMgr workspaces) {
    int taps = size.kernelHeight * size.kernelWidth;
    long weights = (long) size.outputs * size.channels;
    INDArray byImage =
        workspaces.createUninitialized(
            ArrayType.BP_WORKING_MEM, input.dataType(), new long[] {size.batch, weights}, 'c');
    INDArray byTap =
        workspaces
            .createUninitialized(
                ArrayType.BP_WORKING_MEM, input.dataType(), new long[] {taps, weights}, 'c')
            .assign(0);
    INDArray products = byImage.reshape(size.batch, size.outputs, size.channels);
    ShiftedMaps maps =
        new ShiftedMaps(input, gemm, constants, workspaces, ArrayType.BP_WORKING_MEM);
    for (Shift shift : shifts(size)) {
      MatrixStack d = shift.target(ShiftedMaps.asMatrices(deltas));
      MatrixStack x = shift.source(maps.movedBy(shift.columns));
      gemm.multiply(1, d, x.transpose(), 0, MatrixStack.of(products), size.batch);
      sumOfRows(byImage, byTap.get(interval(shift.tap, shift.tap + 1), all()));
    }
    gradient
        .reshape(size.outputs, size.channels, taps)
        .assign(byTap.reshape(taps, size.outputs, size.channels).permute(1, 2, 0));
  }

  @Override
  void biasGradient(INDArray deltas, INDArray gradient) {
    MatrixStack d = ShiftedMaps.asMatrices(deltas);
    long batch = deltas.size(0);
    MatrixStack ones = constants.ones(deltas.dataType(), d.columns(), 1);
    INDArray byImage =
        Nd4j.createUninitialized(deltas.dataType(), new long[] {batch, d.rows(), 1}, 'c');
    gemm.multiply(1, d, ones, 0, MatrixStack.of(byImage), (int) batch);
    INDArray sum = Nd4j.createUninitialized(deltas.dataType(), new long[] {1, d.rows()}, 'c');
    sumOfRows(byImage.reshape(batch, d.rows()), sum);
    gradient.assign(sum.reshape(gradient.shape()));
  }

  private void sumOfRows(INDArray rows, INDArray sum) {
    MatrixStack ones = constants.ones(rows.dataType(), 1, rows.size(0));
    gemm.multiply(1, ones, MatrixStack.of(rows), 0, MatrixStack.of(sum), 1);
  }

  /** The weights of each tap [taps, outputs, channels]. */
  private static INDArray taps(Geometry size, INDArray weights) {
    return weights.permute(2, 3, 0, 1).dup('c').reshape(-1, size.outputs, size.channels);
  }

  private static List<Shift> shifts(Geometry size) {
    return IntStream.range(0, size.kernelHeight * size.kernelWidth)
        .mapToObj(tap -> new Shift(size, tap))
        .filter(Shift::isWithin)
        .collect(Collectors.toList());
  }

  private static long[] shape(Geometry size, int channels) {
    return new long[] {size.batch, channels, size.height, size.width};
  }
}
