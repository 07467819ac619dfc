/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.acceleration;

import static org.nd4j.linalg.indexing.NDArrayIndex.all;
import static org.nd4j.linalg.indexing.NDArrayIndex.interval;

import io.github.spd4j.internal.backend.MatrixStack;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.api.ops.DynamicCustomOp;
import org.nd4j.linalg.factory.Nd4j;

/**
 * A convolution by ND4J's {@code conv2d} operation, which calls the Arm Compute Library, where
 * DL4J's own convolution writes out all patches. The gradient of the input is such a convolution
 * too, with the kernel turned around.
 *
 * <p>The library does kernels of 3×3 and 5×5 that move by one. BLAS does all others, including 1×1,
 * where it is faster than the library.
 */
final class ArmConvolution extends PatchConvolution {

  private static boolean isForTheLibrary(Convolution c) {
    int kernel = c.kernelHeight;
    return c.isPlain() && kernel == c.kernelWidth && (kernel == 3 || kernel == 5);
  }

  @Override
  void forward(Convolution c, INDArray output) {
    if (!isForTheLibrary(c)) {
      super.forward(c, output);
      return;
    }
    INDArray images = MatrixStack.inOrder(c.input);
    INDArray weights = MatrixStack.inOrder(c.weights);
    convolve(output, c.padTop, c.padLeft, images, weights, c.bias.reshape(c.outputs));
  }

  @Override
  void inputGradient(Convolution c, INDArray delta, INDArray gradient) {
    if (!isForTheLibrary(c)) {
      super.inputGradient(c, delta, gradient);
      return;
    }
    int top = c.kernelHeight - 1 - c.padTop;
    int left = c.kernelWidth - 1 - c.padLeft;
    convolve(gradient, top, left, delta, turned(c.weights));
  }

  /**
   * Without the matrix of all patches.
   *
   * <p>With the images padded and laid out as X [C, all places of all images], and the gradient of
   * the output likewise as G with zeros in the margins, the gradient of the weight at row i and
   * column j of the kernel is one product, {@code G · Xᵢⱼᵀ}, where Xᵢⱼ is X read from place {@code
   * i · (padded width) + j} on. What is read beyond the end of a row of X meets zeros of G.
   */
  @Override
  void weightGradient(Convolution c, INDArray delta, INDArray gradient) {
    if (!isForTheLibrary(c)) {
      super.weightGradient(c, delta, gradient);
      return;
    }
    INDArray images = padded(c, c.input, c.padTop, c.padLeft);
    int places = c.paddedPlaces();
    INDArray g = rows(padded(c, delta, 0, 0), 0, c.outputs, places);
    int taps = c.kernelHeight * c.kernelWidth;
    INDArray all = c.working(taps, c.outputs, c.channels);
    for (int tap = 0; tap < taps; tap++) {
      long start = (tap / c.kernelWidth) * c.paddedWidth() + tap % c.kernelWidth;
      INDArray x = rows(images, start, c.channels, places);
      Nd4j.gemm(x, g, all.slice(tap).transpose(), false, true, 1, 0);
    }
    gradient.reshape(c.outputs, c.channels, taps).assign(all.permute(1, 2, 0));
  }

  private static INDArray rows(INDArray flat, long start, long rows, long length) {
    return flat.get(interval(start, start + rows * length)).reshape(rows, length);
  }

  /** [N, channels, h, w] as one vector, channels first, with margins and some zeros at the end. */
  private static INDArray padded(Convolution c, INDArray maps, int top, int left) {
    long channels = maps.size(1);
    long used = channels * c.paddedPlaces();
    INDArray flat = c.working(used + (long) c.kernelHeight * c.paddedWidth()).assign(0);
    flat.get(interval(0, used))
        .reshape(channels, c.batch, c.paddedHeight(), c.paddedWidth())
        .get(all(), all(), interval(top, top + maps.size(2)), interval(left, left + maps.size(3)))
        .assign(maps.permute(1, 0, 2, 3));
    return flat;
  }

  /**
   * Weights [outputs, inputs, height, width] for the way back, [inputs, outputs, height, width]
   * with rows and columns the other way round. Tap by tap: ND4J's {@code reverse} never gives back
   * what it takes for its list of kernels, 48 MB for 512 to 512 maps.
   */
  private static INDArray turned(INDArray weights) {
    INDArray swapped = weights.permute(1, 0, 2, 3).dup('c');
    long taps = weights.size(2) * weights.size(3);
    INDArray turned = swapped.ulike();
    INDArray from = swapped.reshape(-1, taps);
    INDArray to = turned.reshape(-1, taps);
    for (long tap = 0; tap < taps; tap++) {
      to.getColumn(taps - 1 - tap).assign(from.getColumn(tap));
    }
    return turned;
  }

  /** Inputs are images, weights, and perhaps a bias. */
  private static void convolve(INDArray output, int padTop, int padLeft, INDArray... inputs) {
    Nd4j.exec(
        DynamicCustomOp.builder("conv2d")
            .addInputs(inputs)
            .addOutputs(output)
            .addIntegerArguments(
                (int) inputs[1].size(2),
                (int) inputs[1].size(3),
                1, // strides
                1,
                padTop,
                padLeft,
                1, // dilation
                1,
                0, // padded as said
                0, // channels first
                1) // weights [outputs, inputs, height, width]
            .build());
  }
}
