/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.acceleration;

import io.github.spd4j.internal.backend.MatrixStack;
import io.github.spd4j.internal.backend.host.HostConvolution;
import io.github.spd4j.internal.backend.host.HostFloats;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * A convolution on a CPU by BLAS, a few rows of the output at a time, where DL4J's own writes out
 * the patches of all images first.
 */
class PatchConvolution extends AbstractConvolutionHelper {

  @Override
  final boolean supports(Convolution c) {
    return HostFloats.isPossible(c.input);
  }

  @Override
  void forward(Convolution c, INDArray output) {
    INDArray images = MatrixStack.inOrder(c.input);
    INDArray weights = MatrixStack.inOrder(c.weights);
    onHost(c).forward(images, weights, c.bias.reshape(c.outputs).toFloatVector(), output);
  }

  @Override
  final void gradients(
      Convolution c, INDArray delta, INDArray byWeights, INDArray byBias, INDArray byInput) {
    weightGradient(c, delta, byWeights);
    biasGradient(delta, byBias);
    inputGradient(c, delta, byInput);
  }

  void inputGradient(Convolution c, INDArray delta, INDArray gradient) {
    onHost(c).inputGradient(MatrixStack.inOrder(c.weights), delta, gradient);
  }

  void weightGradient(Convolution c, INDArray delta, INDArray gradient) {
    onHost(c).weightGradient(MatrixStack.inOrder(c.input), delta, gradient);
  }

  private void biasGradient(INDArray delta, INDArray gradient) {
    gradient.assign(delta.sum(0, 2, 3).reshape(gradient.shape()));
  }

  private static HostConvolution onHost(Convolution c) {
    return new HostConvolution(c.channels, c.outputs, c.window.axis(0), c.window.axis(1));
  }
}
