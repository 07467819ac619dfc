/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.acceleration;

import io.github.spd4j.backend.MatrixStack;
import org.deeplearning4j.nn.workspace.ArrayType;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.api.ops.DynamicCustomOp;
import org.nd4j.linalg.factory.Nd4j;

/**
 * A convolution by ND4J's {@code conv2d} operation, which calls the Arm Compute Library, where
 * DL4J's own convolution writes out all patches. The gradient of the input is such a convolution
 * too, with the kernel turned around.
 *
 * <p>The library does FLOAT, and kernels of 1, 3 or 5.
 */
final class NativeConvolution extends LibraryConvolution {

  @Override
  boolean supports(Geometry size, INDArray input) {
    int kernel = size.kernelHeight;
    return input.dataType() == DataType.FLOAT
        && kernel == size.kernelWidth
        && (kernel == 1 || kernel == 3 || kernel == 5);
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
            ArrayType.ACTIVATIONS,
            DataType.FLOAT,
            new long[] {size.batch, size.outputs, size.outHeight, size.outWidth},
            'c');
    convolve(
        new INDArray[] {
          MatrixStack.inOrder(input), MatrixStack.inOrder(weights), bias.reshape(size.outputs)
        },
        output,
        size.padTop,
        size.padLeft);
    return output;
  }

  @Override
  void weightGradient(
      Geometry size,
      INDArray input,
      INDArray delta,
      INDArray gradient,
      LayerWorkspaceMgr workspaces) {
    new WeightGradient(size, workspaces).into(input, delta, gradient);
  }

  @Override
  void biasGradient(INDArray delta, INDArray gradient) {
    gradient.assign(delta.sum(0, 2, 3).reshape(gradient.shape()));
  }

  @Override
  INDArray inputGradient(
      Geometry size, INDArray weights, INDArray delta, LayerWorkspaceMgr workspaces) {
    INDArray gradient =
        workspaces.createUninitialized(
            ArrayType.ACTIVATION_GRAD,
            DataType.FLOAT,
            new long[] {size.batch, size.channels, size.height, size.width},
            'c');
    convolve(
        new INDArray[] {delta, turned(weights)},
        gradient,
        size.kernelHeight - 1 - size.padTop,
        size.kernelWidth - 1 - size.padLeft);
    return gradient;
  }

  /**
   * Weights [outputs, inputs, height, width] for the way back, [inputs, outputs, height, width]
   * with rows and columns the other way round. Tap by tap: ND4J's {@code reverse} never gives back
   * what it takes for its list of kernels, 48 MB for 512 to 512 maps.
   */
  private static INDArray turned(INDArray weights) {
    INDArray swapped = weights.permute(1, 0, 2, 3).dup('c');
    long taps = weights.size(2) * weights.size(3);
    if (taps == 1) {
      return swapped;
    }
    INDArray turned = swapped.ulike();
    INDArray from = swapped.reshape(-1, taps);
    INDArray to = turned.reshape(-1, taps);
    for (long tap = 0; tap < taps; tap++) {
      to.getColumn(taps - 1 - tap).assign(from.getColumn(tap));
    }
    return turned;
  }

  /** Inputs are images, weights, and perhaps a bias. */
  private static void convolve(INDArray[] inputs, INDArray output, int padTop, int padLeft) {
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
