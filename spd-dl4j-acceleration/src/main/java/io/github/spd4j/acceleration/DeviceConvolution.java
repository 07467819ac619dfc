/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.acceleration;

import io.github.spd4j.internal.acceleration.DeviceLibrary;
import io.github.spd4j.internal.backend.MatrixStack;
import java.util.function.Supplier;
import org.nd4j.linalg.activations.IActivation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * A convolution by the library of a device: any stride and dilation, with the same margin before
 * and behind the image.
 */
final class DeviceConvolution extends AbstractConvolutionHelper {

  private final DeviceLibrary library;
  private final Precision precision;
  private final Supplier<IActivation> function;
  private boolean rectified;

  /**
   * A convolution.
   *
   * @param precision the library's
   * @param function tells what its layer applies; if that is a rectifier, the library does it
   */
  DeviceConvolution(DeviceLibrary library, Precision precision, Supplier<IActivation> function) {
    this.library = library;
    this.precision = precision;
    this.function = function;
  }

  Precision precision() {
    return precision;
  }

  @Override
  boolean supports(Convolution c) {
    return c.input.dataType() == DataType.FLOAT && c.window.isSymmetric();
  }

  @Override
  void forward(Convolution c, INDArray output) {
    boolean plain = DeviceRectifier.isPlain(function.get());
    rectified = false; // if this fails, DL4J computes, and applies the function
    library.convolve(
        MatrixStack.inOrder(c.input),
        MatrixStack.inOrder(c.weights),
        MatrixStack.inOrder(c.bias),
        c.window,
        plain,
        output);
    rectified = plain;
  }

  @Override
  void forgetApplied() {
    rectified = false;
  }

  @Override
  boolean hasApplied(IActivation activation) {
    return rectified && DeviceRectifier.isPlain(activation);
  }

  @Override
  void gradients(
      Convolution c, INDArray delta, INDArray byWeights, INDArray byBias, INDArray byInput) {
    INDArray weights = inPlaceOr(c, byWeights);
    INDArray bias = inPlaceOr(c, byBias);
    library.gradients(
        MatrixStack.inOrder(c.input),
        MatrixStack.inOrder(c.weights),
        delta,
        c.window,
        weights,
        bias,
        byInput);
    if (weights != byWeights) {
      byWeights.assign(weights);
    }
    if (bias != byBias) {
      byBias.assign(bias);
    }
  }

  /** A gradient, or memory for it if it does not lie in order. */
  private static INDArray inPlaceOr(Convolution c, INDArray gradient) {
    return MatrixStack.isInOrder(gradient) ? gradient : c.working(gradient.shape());
  }
}
