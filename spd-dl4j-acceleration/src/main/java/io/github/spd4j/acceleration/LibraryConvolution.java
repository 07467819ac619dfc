/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.acceleration;

import io.github.spd4j.backend.MatrixStack;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Supplier;
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
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.nd4j.common.primitives.Pair;
import org.nd4j.linalg.activations.IActivation;
import org.nd4j.linalg.activations.impl.ActivationIdentity;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.exception.ND4JOpProfilerException;

/**
 * A convolution by a library. What it cannot do goes back to DL4J: images with the channels last,
 * and what {@link #supports} says.
 *
 * <p>DL4J asks for the convolution once more before it goes back, because the activation function
 * has overwritten it. Where the function's derivative can be told from its value, the answer is
 * that value.
 *
 * <p>If the library fails, that is logged, and DL4J is told: it computes the layer by itself from
 * then on, or throws where the layer was built with {@code helperAllowFallback(false)}.
 */
abstract class LibraryConvolution implements ConvolutionHelper {

  /** The last convolution, until its activation function has been applied. */
  private Call latest;

  /** The convolution of a forward pass for training that may be asked for again; or null. */
  private Call remembered;

  /** A call that was answered with what was remembered; or null. */
  private Call repeated;

  /** Whether the library does a convolution. */
  abstract boolean supports(Convolution convolution);

  /** Overwrites the output. */
  abstract void forward(Convolution convolution, INDArray bias, INDArray output);

  /** Overwrites the gradient of the input. */
  abstract void inputGradient(Convolution convolution, INDArray delta, INDArray gradient);

  /** Overwrites the gradient of the weights. */
  abstract void weightGradient(Convolution convolution, INDArray delta, INDArray gradient);

  /** Overwrites the gradient of the bias. */
  abstract void biasGradient(INDArray delta, INDArray gradient);

  @Override
  public final INDArray preOutput(
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
    Convolution convolution =
        supported(input, weights, strides, pad, convolutionMode, dilation, format, workspaces);
    if (convolution == null) {
      return null;
    }
    Call call = new Call(convolution, bias);
    if (remembered != null && remembered.convolution.input == input) {
      repeated = call;
      return remembered.result;
    }
    latest = call;
    return tried(convolution, call::run);
  }

  /** Does a piece of work for a convolution, and forgets everything if it fails. */
  private <T> T tried(Convolution convolution, Supplier<T> work) {
    boolean done = false;
    try {
      T result =
          Attempt.at(
              String.format(
                  "%s failed for input %s and weights %s",
                  getClass().getSimpleName(),
                  Arrays.toString(convolution.input.shape()),
                  Arrays.toString(convolution.weights.shape())),
              work);
      done = true;
      return result;
    } finally {
      if (!done) {
        latest = null;
        remembered = null;
        repeated = null;
      }
    }
  }

  /** The convolution, or null if it is one for DL4J. */
  private Convolution supported(
      INDArray input,
      INDArray weights,
      int[] strides,
      int[] pad,
      ConvolutionMode mode,
      int[] dilation,
      CNN2DFormat format,
      LayerWorkspaceMgr workspaces) {
    if (format != CNN2DFormat.NCHW || input.dataType() != weights.dataType()) {
      return null;
    }
    int[] kernel = {(int) weights.size(2), (int) weights.size(3)};
    Window window = new Window(input, kernel, strides, pad, mode, dilation);
    Convolution asked = new Convolution(input, weights, window, workspaces);
    return supports(asked) ? asked : null;
  }

  /** A convolution that was asked for. */
  private final class Call {
    private final Convolution convolution;
    private final INDArray bias;
    private INDArray result;

    Call(Convolution convolution, INDArray bias) {
      this.convolution = convolution;
      this.bias = bias;
    }

    INDArray run() {
      result = convolution.newOutput();
      forward(convolution, bias, result);
      return result;
    }
  }

  /**
   * Remembers the convolution. If it was answered from memory, this was another forward pass after
   * all and not the way back, and the weights may have changed: then it is done now.
   */
  @Override
  public final INDArray activate(INDArray z, IActivation activation, boolean training) {
    boolean again = repeated != null;
    if (again) {
      runAgain();
    }
    INDArray result = again ? activation.getActivation(latest.result, training) : null;
    remembered = training && tellsItsDerivative(activation) ? latest : null;
    latest = null;
    return result; // null: DL4J applies the function
  }

  private void runAgain() {
    Call call = repeated;
    try {
      tried(call.convolution, call::run);
    } catch (IllegalStateException e) {
      // DL4J would go on with what was remembered. It lets only this one through.
      throw new ND4JOpProfilerException(e.getMessage(), e);
    }
    latest = call;
    repeated = null;
  }

  private static boolean tellsItsDerivative(IActivation activation) {
    return activation instanceof ActivationIdentity || DeviceRectifier.isPlain(activation);
  }

  @Override
  public final Pair<Gradient, INDArray> backpropGradient(
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
    Convolution convolution =
        supported(input, weights, strides, pad, convolutionMode, dilation, format, workspaces);
    if (convolution == null) {
      return null;
    }
    remembered = null;
    repeated = null;
    return tried(convolution, () -> gradients(convolution, delta, weightGradient, biasGradient));
  }

  private Pair<Gradient, INDArray> gradients(
      Convolution convolution, INDArray delta, INDArray weightGradient, INDArray biasGradient) {
    INDArray deltas = MatrixStack.inOrder(delta);
    weightGradient(convolution, deltas, weightGradient);
    biasGradient(deltas, biasGradient);
    Gradient gradient = new DefaultGradient();
    gradient.setGradientFor(ConvolutionParamInitializer.BIAS_KEY, biasGradient);
    gradient.setGradientFor(ConvolutionParamInitializer.WEIGHT_KEY, weightGradient, 'c');
    INDArray inputGradient = convolution.newInput();
    inputGradient(convolution, deltas, inputGradient);
    return new Pair<>(gradient, inputGradient);
  }

  @Override
  public final boolean checkSupported() {
    return true;
  }

  @Override
  public final Map<String, Long> helperMemoryUse() {
    return Map.of();
  }
}
