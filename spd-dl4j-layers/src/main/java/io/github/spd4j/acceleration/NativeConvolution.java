/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.acceleration;

import java.util.Collections;
import java.util.Map;
import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.deeplearning4j.nn.conf.ConvolutionMode;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer.AlgoMode;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer.BwdDataAlgo;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer.BwdFilterAlgo;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer.FwdAlgo;
import org.deeplearning4j.nn.gradient.DefaultGradient;
import org.deeplearning4j.nn.gradient.Gradient;
import org.deeplearning4j.nn.layers.convolution.ConvolutionHelper;
import org.deeplearning4j.nn.params.ConvolutionParamInitializer;
import org.deeplearning4j.nn.workspace.ArrayType;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.nd4j.common.primitives.Pair;
import org.nd4j.linalg.activations.IActivation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.api.ops.DynamicCustomOp;
import org.nd4j.linalg.api.shape.Shape;
import org.nd4j.linalg.factory.Nd4j;

/**
 * A convolution by ND4J's {@code conv2d} operation, which calls the Arm Compute Library, where
 * DL4J's own convolution writes out all patches. The gradient of the input is such a convolution
 * too, with the kernel turned around.
 *
 * <p>What the library cannot do goes back to DL4J: anything but FLOAT, channels first, kernels of
 * 1, 3 or 5, without stride and dilation.
 */
final class NativeConvolution implements ConvolutionHelper {

  @Override
  public boolean checkSupported() {
    return true;
  }

  @Override
  public INDArray preOutput(
      INDArray input,
      INDArray weights,
      INDArray bias,
      int[] kernel,
      int[] strides,
      int[] pad,
      AlgoMode mode,
      FwdAlgo fwdAlgo,
      ConvolutionMode convolutionMode,
      int[] dilation,
      CNN2DFormat format,
      LayerWorkspaceMgr workspaces) {
    if (!isSupported(input, weights, dilation, format)) {
      return null;
    }
    Geometry size = new Geometry(input, weights, strides, pad, convolutionMode);
    if (!size.isPlain()) {
      return null;
    }
    INDArray output =
        workspaces.createUninitialized(
            ArrayType.ACTIVATIONS,
            DataType.FLOAT,
            new long[] {size.batch, size.outputs, size.outHeight, size.outWidth},
            'c');
    convolve(
        new INDArray[] {inOrder(input), inOrder(weights), bias.reshape(size.outputs)},
        output,
        size.padTop,
        size.padLeft);
    return output;
  }

  @Override
  public Pair<Gradient, INDArray> backpropGradient(
      INDArray input,
      INDArray weights,
      INDArray bias,
      INDArray delta,
      int[] kernel,
      int[] strides,
      int[] pad,
      INDArray biasGradient,
      INDArray weightGradient,
      IActivation activation,
      AlgoMode mode,
      BwdFilterAlgo filterAlgo,
      BwdDataAlgo dataAlgo,
      ConvolutionMode convolutionMode,
      int[] dilation,
      CNN2DFormat format,
      LayerWorkspaceMgr workspaces) {
    if (!isSupported(input, weights, dilation, format)) {
      return null;
    }
    Geometry size = new Geometry(input, weights, strides, pad, convolutionMode);
    if (!size.isPlain()) {
      return null;
    }
    new WeightGradient(size, workspaces).into(input, delta, weightGradient);
    biasGradient.assign(delta.sum(0, 2, 3).reshape(biasGradient.shape()));
    Gradient gradient = new DefaultGradient();
    gradient.setGradientFor(ConvolutionParamInitializer.BIAS_KEY, biasGradient);
    gradient.setGradientFor(ConvolutionParamInitializer.WEIGHT_KEY, weightGradient, 'c');
    return new Pair<>(gradient, inputGradient(size, weights, inOrder(delta), workspaces));
  }

  private static INDArray inputGradient(
      Geometry size, INDArray weights, INDArray delta, LayerWorkspaceMgr workspaces) {
    INDArray swapped = weights.permute(1, 0, 2, 3).dup('c');
    INDArray turned = swapped.ulike();
    Nd4j.exec(
        DynamicCustomOp.builder("reverse")
            .addInputs(swapped)
            .addOutputs(turned)
            .addIntegerArguments(2, 3)
            .build());
    INDArray gradient =
        workspaces.createUninitialized(
            ArrayType.ACTIVATION_GRAD,
            DataType.FLOAT,
            new long[] {size.batch, size.channels, size.height, size.width},
            'c');
    convolve(
        new INDArray[] {delta, turned},
        gradient,
        size.kernelHeight - 1 - size.padTop,
        size.kernelWidth - 1 - size.padLeft);
    return gradient;
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

  private static boolean isSupported(
      INDArray input, INDArray weights, int[] dilation, CNN2DFormat format) {
    long kernel = weights.size(2);
    return input.dataType() == DataType.FLOAT
        && weights.dataType() == DataType.FLOAT
        && format == CNN2DFormat.NCHW
        && dilation[0] == 1
        && dilation[1] == 1
        && kernel == weights.size(3)
        && (kernel == 1 || kernel == 3 || kernel == 5);
  }

  /** The array itself if its elements lie in memory in the order of their indices, or a copy. */
  private static INDArray inOrder(INDArray array) {
    boolean inOrder = array.ordering() == 'c' && Shape.hasDefaultStridesForShape(array);
    return inOrder ? array : array.dup('c');
  }

  @Override
  public INDArray activate(INDArray z, IActivation activation, boolean training) {
    return null; // DL4J does it
  }

  @Override
  public Map<String, Long> helperMemoryUse() {
    return Collections.emptyMap();
  }
}
