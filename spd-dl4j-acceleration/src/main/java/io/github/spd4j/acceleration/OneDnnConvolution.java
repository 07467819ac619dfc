/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.acceleration;

import java.util.Arrays;
import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.deeplearning4j.nn.conf.ConvolutionMode;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer.AlgoMode;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer.BwdDataAlgo;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer.BwdFilterAlgo;
import org.deeplearning4j.nn.conf.layers.ConvolutionLayer.FwdAlgo;
import org.deeplearning4j.nn.gradient.Gradient;
import org.deeplearning4j.nn.layers.mkldnn.MKLDNNConvHelper;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.nd4j.common.primitives.Pair;
import org.nd4j.linalg.activations.IActivation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * A convolution by oneDNN, in DL4J's own way. Dilated ones go back to DL4J: for them ND4J asks
 * oneDNN for margins that are too small, and fails.
 */
final class OneDnnConvolution extends MKLDNNConvHelper {

  OneDnnConvolution() {
    super(DataType.FLOAT);
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
    if (isDilated(dilation)) {
      return null;
    }
    return super.preOutput(
        input,
        weights,
        bias,
        kernel,
        strides,
        pad,
        mode,
        fwdAlgo,
        convolutionMode,
        dilation,
        format,
        workspaces);
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
    if (isDilated(dilation)) {
      return null;
    }
    return super.backpropGradient(
        input,
        weights,
        bias,
        delta,
        kernel,
        strides,
        pad,
        biasGradient,
        weightGradient,
        activation,
        mode,
        filterAlgo,
        dataAlgo,
        convolutionMode,
        dilation,
        format,
        workspaces);
  }

  private static boolean isDilated(int[] dilation) {
    return !Arrays.equals(dilation, new int[] {1, 1});
  }
}
