/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.acceleration;

import io.github.spd4j.internal.acceleration.DeviceLibrary;
import io.github.spd4j.internal.backend.MatrixStack;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * A convolution by the library of a device: any stride and dilation, with the same margin before
 * and behind the image.
 */
final class DeviceConvolution extends AbstractConvolutionHelper {

  private final DeviceLibrary library;

  DeviceConvolution(DeviceLibrary library) {
    this.library = library;
  }

  @Override
  boolean supports(Convolution c) {
    return c.input.dataType() == DataType.FLOAT && c.window.isSymmetric();
  }

  @Override
  void forward(Convolution c, INDArray output) {
    library.convolve(
        MatrixStack.inOrder(c.input),
        MatrixStack.inOrder(c.weights),
        MatrixStack.inOrder(c.bias),
        c.window,
        output);
  }

  @Override
  void inputGradient(Convolution c, INDArray delta, INDArray gradient) {
    library.inputGradient(MatrixStack.inOrder(c.weights), delta, c.window, gradient);
  }

  @Override
  void weightGradient(Convolution c, INDArray delta, INDArray gradient) {
    boolean inPlace = MatrixStack.isInOrder(gradient);
    INDArray result = inPlace ? gradient : c.working(gradient.shape());
    library.weightGradient(MatrixStack.inOrder(c.input), delta, c.window, result);
    if (!inPlace) {
      gradient.assign(result);
    }
  }

  @Override
  void biasGradient(INDArray delta, INDArray gradient) {
    library.biasGradient(delta, gradient);
  }
}
