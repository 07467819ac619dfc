/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.acceleration;

import static org.nd4j.linalg.indexing.NDArrayIndex.all;
import static org.nd4j.linalg.indexing.NDArrayIndex.interval;

import io.github.spd4j.internal.backend.Algebra;
import io.github.spd4j.internal.backend.MatrixStack;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.deeplearning4j.nn.workspace.ArrayType;
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
final class GemmConvolution extends AbstractConvolutionHelper {

  private final Algebra gemm;
  private final OnesAndZeros constants = new OnesAndZeros();

  GemmConvolution(Algebra gemm) {
    this.gemm = gemm;
  }

  @Override
  boolean supports(Convolution c) {
    return c.isPlain() && c.outHeight == c.height && c.outWidth == c.width;
  }

  @Override
  void forward(Convolution c, INDArray output) {
    MatrixStack result = ShiftedMaps.asMatrices(output);
    INDArray start = MatrixStack.inOrder(c.bias).reshape(c.outputs, 1);
    MatrixStack ones = constants.ones(c.bias.dataType(), 1, result.columns());
    gemm.multiply(1, MatrixStack.of(start), ones, 0, result, c.batch);
    add(taps(c), shifted(c, c.input, ArrayType.FF_WORKING_MEM), result, c.batch);
  }

  @Override
  void gradients(
      Convolution c, INDArray delta, INDArray byWeights, INDArray byBias, INDArray byInput) {
    weightGradient(c, delta, byWeights);
    biasGradient(delta, byBias);
    inputGradient(c, delta, byInput);
  }

  private void inputGradient(Convolution c, INDArray delta, INDArray gradient) {
    MatrixStack result = ShiftedMaps.asMatrices(gradient.assign(0));
    List<Tap> back = taps(c).stream().map(Tap::reversed).collect(Collectors.toList());
    add(back, shifted(c, delta, ArrayType.BP_WORKING_MEM), result, c.batch);
  }

  /** A tap of the kernel: where it reads, and what that is multiplied by. */
  private static final class Tap {
    private final TapShift shift;
    private final MatrixStack weights;

    Tap(TapShift shift, MatrixStack weights) {
      this.shift = shift;
      this.weights = weights;
    }

    /** That of the way back. */
    Tap reversed() {
      return new Tap(shift.reversed(), weights.transpose());
    }
  }

  private static List<Tap> taps(Convolution c) {
    INDArray weights = c.weights.permute(2, 3, 0, 1).dup('c').reshape(-1, c.outputs, c.channels);
    return shifts(c).stream()
        .map(shift -> new Tap(shift, MatrixStack.of(weights.slice(shift.tap))))
        .collect(Collectors.toList());
  }

  /** Adds what each tap makes of the maps. */
  private void add(List<Tap> taps, ShiftedMaps maps, MatrixStack sum, int batch) {
    for (Tap tap : taps) {
      MatrixStack read = tap.shift.source(maps.movedBy(tap.shift.columns));
      gemm.multiply(1, tap.weights, read, 1, tap.shift.target(sum), batch);
    }
  }

  private ShiftedMaps shifted(Convolution c, INDArray maps, ArrayType kind) {
    return new ShiftedMaps(maps, gemm, constants, c.workspaces, kind);
  }

  /** The gradient of a tap is one product for each image, and one more for their sum. */
  private void weightGradient(Convolution c, INDArray delta, INDArray gradient) {
    int taps = c.kernelHeight * c.kernelWidth;
    long weights = (long) c.outputs * c.channels;
    INDArray byImage = c.working(c.batch, weights);
    INDArray byTap = c.working(taps, weights).assign(0);
    MatrixStack products = MatrixStack.of(byImage.reshape(c.batch, c.outputs, c.channels));
    ShiftedMaps maps = shifted(c, c.input, ArrayType.BP_WORKING_MEM);
    for (TapShift shift : shifts(c)) {
      MatrixStack d = shift.target(ShiftedMaps.asMatrices(delta));
      MatrixStack x = shift.source(maps.movedBy(shift.columns));
      gemm.multiply(1, d, x.transpose(), 0, products, c.batch);
      sumOfRows(byImage, byTap.get(interval(shift.tap, shift.tap + 1), all()));
    }
    gradient
        .reshape(c.outputs, c.channels, taps)
        .assign(byTap.reshape(taps, c.outputs, c.channels).permute(1, 2, 0));
  }

  private void biasGradient(INDArray deltas, INDArray gradient) {
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

  private static List<TapShift> shifts(Convolution c) {
    return IntStream.range(0, c.kernelHeight * c.kernelWidth)
        .mapToObj(tap -> new TapShift(c, tap))
        .filter(TapShift::isWithin)
        .collect(Collectors.toList());
  }
}
