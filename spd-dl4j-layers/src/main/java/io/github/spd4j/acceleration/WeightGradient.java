/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.acceleration;

import static org.nd4j.linalg.indexing.NDArrayIndex.all;
import static org.nd4j.linalg.indexing.NDArrayIndex.interval;

import org.deeplearning4j.nn.workspace.ArrayType;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * The gradient of a convolution's weights without the matrix of all patches.
 *
 * <p>With the images padded and laid out as X [C, all places of all images], and the gradient of
 * the output likewise as G with zeros in the margins, the gradient of the weight at row i and
 * column j of the kernel is one product, {@code G · Xᵢⱼᵀ}, where Xᵢⱼ is X read from place {@code i
 * · (padded width) + j} on. What is read beyond the end of a row of X meets zeros of G.
 */
final class WeightGradient {

  private final Geometry size;
  private final LayerWorkspaceMgr workspaces;

  WeightGradient(Geometry size, LayerWorkspaceMgr workspaces) {
    this.size = size;
    this.workspaces = workspaces;
  }

  /**
   * Computes the gradient.
   *
   * @param input [N, C, H, W]; not changed
   * @param delta the gradient of the output [N, outputs, out height, out width]; not changed
   * @param gradient is overwritten, [outputs, C, kernel height, kernel width]
   */
  void into(INDArray input, INDArray delta, INDArray gradient) {
    INDArray images = padded(input, size.channels, size.padTop, size.padLeft);
    INDArray deltas = padded(delta, size.outputs, 0, 0);
    int places = size.paddedPlaces();
    INDArray g = deltas.get(interval(0, (long) size.outputs * places)).reshape(-1, places);
    int taps = size.kernelHeight * size.kernelWidth;
    INDArray all = working(taps, size.outputs, size.channels);
    for (int tap = 0; tap < taps; tap++) {
      long start = (tap / size.kernelWidth) * size.paddedWidth() + tap % size.kernelWidth;
      INDArray x =
          images.get(interval(start, start + (long) size.channels * places)).reshape(-1, places);
      Nd4j.gemm(x, g, all.slice(tap).transpose(), false, true, 1, 0);
    }
    gradient.reshape(size.outputs, size.channels, taps).assign(all.permute(1, 2, 0));
  }

  /** [N, channels, h, w] as one vector, channels first, with margins and some zeros at the end. */
  private INDArray padded(INDArray maps, int channels, int top, int left) {
    long used = (long) channels * size.paddedPlaces();
    INDArray flat = working(used + (long) size.kernelHeight * size.paddedWidth()).assign(0);
    flat.get(interval(0, used))
        .reshape(channels, size.batch, size.paddedHeight(), size.paddedWidth())
        .get(all(), all(), interval(top, top + maps.size(2)), interval(left, left + maps.size(3)))
        .assign(maps.permute(1, 0, 2, 3));
    return flat;
  }

  private INDArray working(long... shape) {
    return workspaces.createUninitialized(ArrayType.BP_WORKING_MEM, DataType.FLOAT, shape, 'c');
  }
}
