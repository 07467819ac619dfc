/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.acceleration;

import io.github.spd4j.internal.backend.host.WindowAxis;
import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.deeplearning4j.nn.conf.ConvolutionMode;
import org.deeplearning4j.util.ConvolutionUtils;
import org.nd4j.linalg.api.ndarray.INDArray;

/** How a kernel moves over images [N, C, H, W], for a convolution or a pooling. */
public final class Window {

  private final int[] kernel;
  private final int[] strides;
  private final int[] before;
  private final int[] dilation;
  private final int[] input;
  private final int[] output;

  /**
   * Works the sizes out as DL4J does.
   *
   * @param images [N, C, H, W]
   * @param kernel rows and columns
   * @param strides how far the kernel moves at a time
   * @param pad rows above and columns before the image; left out in mode Same
   * @param mode how sizes are rounded
   * @param dilation how far apart the taps are
   */
  public Window(
      INDArray images,
      int[] kernel,
      int[] strides,
      int[] pad,
      ConvolutionMode mode,
      int[] dilation) {
    this.kernel = kernel;
    this.strides = strides;
    this.dilation = dilation;
    this.input = new int[] {(int) images.size(2), (int) images.size(3)};
    boolean same = mode == ConvolutionMode.Same;
    this.output =
        ConvolutionUtils.getOutputSize(
            images, kernel, strides, same ? null : pad, mode, dilation, CNN2DFormat.NCHW);
    this.before =
        same
            ? ConvolutionUtils.getSameModeTopLeftPadding(output, input, kernel, strides, dilation)
            : pad;
  }

  /**
   * The size of the kernel.
   *
   * @param axis 0 for rows, 1 for columns, as in all methods
   * @return its taps
   */
  public int kernel(int axis) {
    return kernel[axis];
  }

  /**
   * How far the kernel moves at a time.
   *
   * @param axis 0 or 1
   * @return at least 1
   */
  public int stride(int axis) {
    return strides[axis];
  }

  /**
   * The margin before the image, and as far as the kernel gets there behind it.
   *
   * @param axis 0 or 1
   * @return at least 0
   */
  public int pad(int axis) {
    return before[axis];
  }

  /**
   * How far apart the taps are.
   *
   * @param axis 0 or 1
   * @return at least 1
   */
  public int dilation(int axis) {
    return dilation[axis];
  }

  /**
   * The size of the output.
   *
   * @param axis 0 or 1
   * @return rows or columns
   */
  public int output(int axis) {
    return output[axis];
  }

  /**
   * For what computes on the CPU.
   *
   * @param axis 0 or 1
   * @return the same sizes
   */
  public WindowAxis axis(int axis) {
    return new WindowAxis(
        kernel[axis], strides[axis], before[axis], dilation[axis], input[axis], output[axis]);
  }

  /**
   * Whether the output has this size if the margin behind the image is that before it.
   *
   * @return whether one margin says it all
   */
  public boolean isSymmetric() {
    return isSymmetric(0) && isSymmetric(1);
  }

  private boolean isSymmetric(int axis) {
    int reach = dilation[axis] * (kernel[axis] - 1) + 1;
    return output[axis] == (input[axis] + 2 * before[axis] - reach) / strides[axis] + 1
        && before[axis] < reach;
  }

  /**
   * Whether the kernel moves by one, and its taps lie side by side.
   *
   * @return true if strides and dilations are 1
   */
  public boolean isDense() {
    return strides[0] == 1 && strides[1] == 1 && dilation[0] == 1 && dilation[1] == 1;
  }

  /**
   * Whether there is no margin.
   *
   * @return true if the kernel stays inside the image
   */
  public boolean isInside() {
    return before[0] == 0 && before[1] == 0;
  }
}
