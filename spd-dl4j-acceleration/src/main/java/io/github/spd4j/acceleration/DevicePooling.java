/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.acceleration;

import io.github.spd4j.internal.acceleration.DeviceLibrary;
import io.github.spd4j.internal.acceleration.Window;
import io.github.spd4j.internal.backend.MatrixStack;
import java.util.Arrays;
import java.util.Map;
import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.deeplearning4j.nn.conf.ConvolutionMode;
import org.deeplearning4j.nn.conf.layers.PoolingType;
import org.deeplearning4j.nn.gradient.DefaultGradient;
import org.deeplearning4j.nn.gradient.Gradient;
import org.deeplearning4j.nn.layers.convolution.subsampling.SubsamplingHelper;
import org.deeplearning4j.nn.workspace.ArrayType;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.nd4j.common.primitives.Pair;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * A pooling by the library of a device. DL4J does what is left: other types than MAX and AVG, other
 * margins behind the image than before it, averages with a margin, dilation, and images with the
 * channels last.
 */
final class DevicePooling implements SubsamplingHelper {

  private final DeviceLibrary library;

  DevicePooling(DeviceLibrary library) {
    this.library = library;
  }

  @Override
  public INDArray activate(
      INDArray input,
      boolean training,
      int[] kernel,
      int[] strides,
      int[] pad,
      PoolingType type,
      ConvolutionMode mode,
      int[] dilation,
      CNN2DFormat format,
      LayerWorkspaceMgr workspaces) {
    Window window = supported(input, kernel, strides, pad, type, mode, dilation, format);
    return window == null
        ? null
        : LoggedFailures.run(what(input), () -> pooled(input, window, type, workspaces));
  }

  @Override
  public Pair<Gradient, INDArray> backpropGradient(
      INDArray input,
      INDArray epsilon,
      int[] kernel,
      int[] strides,
      int[] pad,
      PoolingType type,
      ConvolutionMode mode,
      int[] dilation,
      CNN2DFormat format,
      LayerWorkspaceMgr workspaces) {
    Window window = supported(input, kernel, strides, pad, type, mode, dilation, format);
    return window == null
        ? null
        : LoggedFailures.run(what(input), () -> gradient(input, epsilon, window, type, workspaces));
  }

  /** How the kernel moves, or null if it is a pooling for DL4J. */
  private static Window supported(
      INDArray input,
      int[] kernel,
      int[] strides,
      int[] pad,
      PoolingType type,
      ConvolutionMode mode,
      int[] dilation,
      CNN2DFormat format) {
    if (format != CNN2DFormat.NCHW
        || input.dataType() != DataType.FLOAT
        || dilation[0] != 1
        || dilation[1] != 1) {
      return null;
    }
    Window window = new Window(input, kernel, strides, pad, mode, dilation);
    boolean possible = type == PoolingType.MAX || type == PoolingType.AVG && window.isInside();
    return possible && window.isSymmetric() ? window : null;
  }

  private INDArray pooled(
      INDArray input, Window window, PoolingType type, LayerWorkspaceMgr workspaces) {
    long[] shape = {input.size(0), input.size(1), window.output(0), window.output(1)};
    INDArray output =
        workspaces.createUninitialized(ArrayType.ACTIVATIONS, DataType.FLOAT, shape, 'c');
    library.pool(MatrixStack.inOrder(input), window, type == PoolingType.MAX, output);
    return output;
  }

  private Pair<Gradient, INDArray> gradient(
      INDArray input,
      INDArray epsilon,
      Window window,
      PoolingType type,
      LayerWorkspaceMgr workspaces) {
    INDArray gradient =
        workspaces.createUninitialized(
            ArrayType.ACTIVATION_GRAD, DataType.FLOAT, input.shape(), 'c');
    library.poolGradient(
        MatrixStack.inOrder(input),
        MatrixStack.inOrder(epsilon),
        window,
        type == PoolingType.MAX,
        gradient);
    return new Pair<>(new DefaultGradient(), gradient);
  }

  private String what(INDArray input) {
    return "DevicePooling failed for input " + Arrays.toString(input.shape());
  }

  @Override
  public Map<String, Long> helperMemoryUse() {
    return Map.of();
  }

  @Override
  public boolean checkSupported() {
    return true;
  }
}
