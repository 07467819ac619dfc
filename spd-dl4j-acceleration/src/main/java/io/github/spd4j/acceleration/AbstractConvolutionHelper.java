/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.acceleration;

import io.github.spd4j.internal.acceleration.Window;
import io.github.spd4j.internal.backend.MatrixStack;
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
 * <p>DL4J asks for the convolution once more before it goes back: {@link LatestOutput} tells why,
 * and saves the time.
 *
 * <p>If the library fails, that is logged, and DL4J is told: it computes the layer by itself from
 * then on, or throws where the layer was built with {@code helperAllowFallback(false)}.
 */
abstract class AbstractConvolutionHelper implements ConvolutionHelper {

  private final LatestOutput latest = new LatestOutput();

  /** Whether the library does a convolution. */
  abstract boolean supports(Convolution convolution);

  /** Overwrites the output. */
  abstract void forward(Convolution convolution, INDArray output);

  /** Overwrites the gradients of the weights, the bias and the input. */
  abstract void gradients(
      Convolution convolution,
      INDArray delta,
      INDArray byWeights,
      INDArray byBias,
      INDArray byInput);

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
        supported(
            input, weights, bias, strides, pad, convolutionMode, dilation, format, workspaces);
    if (convolution == null) {
      latest.forget();
      forgetApplied();
      return null;
    }
    return latest.answers(convolution) ? latest.givenAgain(convolution) : computed(convolution);
  }

  private INDArray computed(Convolution convolution) {
    INDArray output =
        tried(
            convolution,
            () -> {
              INDArray result = convolution.newOutput();
              forward(convolution, result);
              return result;
            });
    latest.computed(convolution, output);
    return output;
  }

  /** Does a piece of work for a convolution, and forgets everything if it fails. */
  private <T> T tried(Convolution convolution, Supplier<T> work) {
    try {
      return LoggedFailures.run(
          String.format(
              "%s failed for input %s and weights %s",
              getClass().getSimpleName(),
              Arrays.toString(convolution.input.shape()),
              Arrays.toString(convolution.weights.shape())),
          work);
    } catch (RuntimeException | Error e) {
      latest.forget();
      forgetApplied();
      throw e;
    }
  }

  /** The convolution, or null if it is one for DL4J. */
  private Convolution supported(
      INDArray input,
      INDArray weights,
      INDArray bias,
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
    Convolution asked = new Convolution(input, weights, bias, window, workspaces);
    return supports(asked) ? asked : null;
  }

  /** {@link #forward} did not compute what {@link #activate} is asked for next. */
  void forgetApplied() {}

  /** Whether {@link #forward} applied a function itself. */
  boolean hasApplied(IActivation activation) {
    return false;
  }

  @Override
  public final INDArray activate(INDArray z, IActivation activation, boolean training) {
    INDArray result = latest.owed() == null ? null : paid();
    if (hasApplied(activation)) {
      result = result == null ? z : result;
    } else if (result != null) {
      result = activation.getActivation(result, training);
    }
    if (training && tellsItsDerivative(activation)) {
      latest.activated();
    } else {
      latest.forget();
    }
    return result; // null: DL4J applies the function
  }

  /** What DL4J should have been given. */
  private INDArray paid() {
    try {
      return computed(latest.owed());
    } catch (IllegalStateException e) {
      // DL4J would go on with what it was given. It lets only this one through.
      throw new ND4JOpProfilerException(e.getMessage(), e);
    }
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
        supported(
            input, weights, bias, strides, pad, convolutionMode, dilation, format, workspaces);
    latest.forget();
    if (convolution == null) {
      return null;
    }
    return tried(convolution, () -> gradients(convolution, delta, weightGradient, biasGradient));
  }

  private Pair<Gradient, INDArray> gradients(
      Convolution convolution, INDArray delta, INDArray weightGradient, INDArray biasGradient) {
    INDArray inputGradient = convolution.newInput();
    gradients(convolution, MatrixStack.inOrder(delta), weightGradient, biasGradient, inputGradient);
    Gradient gradient = new DefaultGradient();
    gradient.setGradientFor(ConvolutionParamInitializer.BIAS_KEY, biasGradient);
    gradient.setGradientFor(ConvolutionParamInitializer.WEIGHT_KEY, weightGradient, 'c');
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
