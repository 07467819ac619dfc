/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.acceleration;

import io.github.spd4j.internal.acceleration.Window;
import org.deeplearning4j.nn.workspace.ArrayType;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.nd4j.linalg.api.ndarray.INDArray;

/** The operands and sizes of one convolution over images [N, C, H, W]. */
final class Convolution {

  final INDArray input;
  final INDArray weights;
  final INDArray bias;
  final Window window;
  final LayerWorkspaceMgr workspaces;

  final int batch;
  final int channels;
  final int height;
  final int width;
  final int outputs;
  final int kernelHeight;
  final int kernelWidth;
  final int outHeight;
  final int outWidth;
  final int padTop;
  final int padLeft;

  /**
   * Works the sizes out.
   *
   * @param input [N, C, H, W]
   * @param weights [outputs, C, kernel height, kernel width]
   * @param bias one number for each output
   * @param workspaces where new arrays are made
   */
  Convolution(
      INDArray input,
      INDArray weights,
      INDArray bias,
      Window window,
      LayerWorkspaceMgr workspaces) {
    this.input = input;
    this.weights = weights;
    this.bias = bias;
    this.window = window;
    this.workspaces = workspaces;
    this.batch = (int) input.size(0);
    this.channels = (int) input.size(1);
    this.height = (int) input.size(2);
    this.width = (int) input.size(3);
    this.outputs = (int) weights.size(0);
    this.kernelHeight = window.kernel(0);
    this.kernelWidth = window.kernel(1);
    this.outHeight = window.output(0);
    this.outWidth = window.output(1);
    this.padTop = window.pad(0);
    this.padLeft = window.pad(1);
  }

  /** Whether every place has an output, and as much lies before the image as after it. */
  boolean isPlain() {
    return window.isDense() && window.isSymmetric();
  }

  /** A new array like the input. */
  INDArray newInput() {
    return create(ArrayType.ACTIVATION_GRAD, batch, channels, height, width);
  }

  /** A new array for the output. */
  INDArray newOutput() {
    return create(ArrayType.ACTIVATIONS, batch, outputs, outHeight, outWidth);
  }

  /** A new array for intermediate results of the backward pass. */
  INDArray working(long... shape) {
    return create(ArrayType.BP_WORKING_MEM, shape);
  }

  private INDArray create(ArrayType kind, long... shape) {
    return workspaces.createUninitialized(kind, input.dataType(), shape, 'c');
  }

  /** Rows of an image with its margins. */
  int paddedHeight() {
    return outHeight + kernelHeight - 1;
  }

  /** Columns of an image with its margins. */
  int paddedWidth() {
    return outWidth + kernelWidth - 1;
  }

  /** Places of one channel of all images with their margins. */
  int paddedPlaces() {
    return Math.multiplyExact(batch, paddedHeight() * paddedWidth());
  }
}
