/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.acceleration;

import io.github.spd4j.internal.backend.Algebra;
import io.github.spd4j.internal.backend.LocalResponse;
import io.github.spd4j.internal.backend.MatrixStack;
import java.util.Arrays;
import java.util.Map;
import org.deeplearning4j.nn.gradient.DefaultGradient;
import org.deeplearning4j.nn.gradient.Gradient;
import org.deeplearning4j.nn.layers.normalization.LocalResponseNormalizationHelper;
import org.deeplearning4j.nn.workspace.ArrayType;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.nd4j.common.primitives.Pair;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * Local response normalisation in one pass, of FLOAT images with the channels first.
 *
 * <p>The gradient is that of the output. DL4J's own divides the share of each neighbour by the sum
 * of the wrong channel; with GoogLeNet's α of 0.00002 the difference is below rounding.
 */
final class ResponseNormalization implements LocalResponseNormalizationHelper {

  private final Algebra algebra;

  ResponseNormalization(Algebra algebra) {
    this.algebra = algebra;
  }

  @Override
  public boolean checkSupported(double k, double n, double alpha, double beta) {
    return true;
  }

  @Override
  public INDArray activate(
      INDArray images,
      boolean training,
      double k,
      double n,
      double alpha,
      double beta,
      LayerWorkspaceMgr workspaces) {
    if (!isFor(images)) {
      return null;
    }
    INDArray output = result(images, ArrayType.ACTIVATIONS, workspaces);
    LocalResponse response = response(k, n, alpha, beta);
    return LoggedFailures.run(
        what(images),
        () -> {
          algebra.normalize(MatrixStack.inOrder(images), response, output);
          return output;
        });
  }

  @Override
  public Pair<Gradient, INDArray> backpropGradient(
      INDArray images,
      INDArray delta,
      double k,
      double n,
      double alpha,
      double beta,
      LayerWorkspaceMgr workspaces) {
    if (!isFor(images) || !isFor(delta)) {
      return null;
    }
    INDArray gradient = result(images, ArrayType.ACTIVATION_GRAD, workspaces);
    LocalResponse response = response(k, n, alpha, beta);
    return LoggedFailures.run(
        what(images),
        () -> {
          algebra.normalizeGradient(
              MatrixStack.inOrder(images), MatrixStack.inOrder(delta), response, gradient);
          return new Pair<>(new DefaultGradient(), gradient);
        });
  }

  private static boolean isFor(INDArray images) {
    return images.rank() == 4 && images.dataType() == DataType.FLOAT;
  }

  /** DL4J's n is how many channels count. */
  private static LocalResponse response(double k, double n, double alpha, double beta) {
    return new LocalResponse((int) n / 2, alpha, beta, k);
  }

  private static INDArray result(INDArray images, ArrayType kind, LayerWorkspaceMgr workspaces) {
    return workspaces.createUninitialized(kind, DataType.FLOAT, images.shape(), 'c');
  }

  private static String what(INDArray images) {
    return "ResponseNormalization failed for input " + Arrays.toString(images.shape());
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
