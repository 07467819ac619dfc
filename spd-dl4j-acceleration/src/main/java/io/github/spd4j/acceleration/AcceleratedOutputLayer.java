/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.acceleration;

import static io.github.spd4j.internal.backend.MatrixStack.of;

import io.github.spd4j.internal.backend.Algebra;
import io.github.spd4j.internal.backend.MatrixStack;
import java.util.Arrays;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.gradient.DefaultGradient;
import org.deeplearning4j.nn.gradient.Gradient;
import org.deeplearning4j.nn.layers.OutputLayer;
import org.deeplearning4j.nn.params.DefaultParamInitializer;
import org.deeplearning4j.nn.workspace.ArrayType;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.nd4j.common.primitives.Pair;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.memory.MemoryWorkspace;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.lossfunctions.ILossFunction;

/**
 * DL4J's output layer with another way to multiply long vectors by the weights. The product has few
 * entries, and behind an SPD head each is a sum of a hundred thousand numbers. ND4J leaves it to a
 * BLAS, which divides the entries among its threads, but not the sums; here the sums are divided.
 * On a GPU a product is one call of cuBLAS, without ND4J's own cost of an operation.
 *
 * <p>DL4J computes the product twice in a step, for the gradient and for the score; here the second
 * uses that of the first.
 */
final class AcceleratedOutputLayer extends OutputLayer {

  private static final long serialVersionUID = 1L;

  private static final String WEIGHTS = DefaultParamInitializer.WEIGHT_KEY;
  private static final String BIAS = DefaultParamInitializer.BIAS_KEY;

  private final transient Algebra algebra;

  private transient INDArray ones;

  /** What the gradient was computed from, until the score has been too; or null. */
  private transient INDArray scored;

  /** Memory for it, from step to step. */
  private transient INDArray room;

  AcceleratedOutputLayer(NeuralNetConfiguration conf, DataType type, Algebra algebra) {
    super(conf, type);
    this.algebra = algebra;
  }

  @Override
  public void setInput(INDArray input, LayerWorkspaceMgr workspaceMgr) {
    scored = null;
    super.setInput(input, workspaceMgr);
  }

  @Override
  public void clear() {
    scored = null;
    super.clear();
  }

  @Override
  public void setParam(String key, INDArray val) {
    scored = null;
    super.setParam(key, val);
  }

  @Override
  public void setParams(INDArray params) {
    scored = null;
    super.setParams(params);
  }

  /** What is rare, and what does not fit, is left to DL4J. */
  private boolean isUsual() {
    return maskArray == null
        && !hasLayerNorm()
        && input != null
        && input.rank() == 2
        && input.size(1) == getParam(WEIGHTS).size(0);
  }

  /** One number for each class of each example, unlike those of a loss for class numbers. */
  private boolean hasUsualLabels() {
    long[] shape = {input.size(0), getParam(WEIGHTS).size(1)};
    return labels != null && Arrays.equals(labels.shape(), shape);
  }

  @Override
  protected INDArray preOutput(boolean training, LayerWorkspaceMgr workspaceMgr) {
    if (!isUsual()) {
      return super.preOutput(training, workspaceMgr);
    }
    applyDropOutIfNecessary(training, workspaceMgr);
    MatrixStack weights = weights(training, workspaceMgr);
    long[] shape = {input.size(0), weights.columns()};
    INDArray result = workspaceMgr.createUninitialized(ArrayType.ACTIVATIONS, dataType, shape, 'c');
    if (hasBias()) {
      INDArray bias = MatrixStack.inOrder(getParamWithNoise(BIAS, training, workspaceMgr));
      multiply(of(ones()), of(bias.reshape('c', 1, shape[1])), 0, result);
    }
    multiply(of(vectors()), weights, hasBias() ? 1 : 0, result);
    return result;
  }

  /** DL4J's weights lie in memory column by column. */
  private MatrixStack weights(boolean training, LayerWorkspaceMgr workspaceMgr) {
    INDArray weights = getParamWithNoise(WEIGHTS, training, workspaceMgr);
    return of(MatrixStack.inOrder(weights.transpose())).transpose();
  }

  private INDArray vectors() {
    return MatrixStack.inOrder(input.castTo(dataType));
  }

  /** For the score: what the gradient was computed from, once. */
  @Override
  protected INDArray preOutput2d(boolean training, LayerWorkspaceMgr workspaceMgr) {
    if (training && scored != null) {
      INDArray scores = scored;
      scored = null;
      return scores;
    }
    return super.preOutput2d(training, workspaceMgr);
  }

  @Override
  public Pair<Gradient, INDArray> backpropGradient(
      INDArray epsilon, LayerWorkspaceMgr workspaceMgr) {
    scored = null;
    if (!isUsual() || !hasUsualLabels()) {
      return super.backpropGradient(epsilon, workspaceMgr);
    }
    INDArray scores = preOutput2d(true, workspaceMgr);
    keep(scores);
    ILossFunction loss = layerConf().getLossFn();
    INDArray labels2d = getLabels2d(workspaceMgr, ArrayType.BP_WORKING_MEM);
    INDArray delta =
        MatrixStack.inOrder(
            loss.computeGradient(labels2d, scores, layerConf().getActivationFn(), null)
                .castTo(dataType));
    if (!Arrays.equals(delta.shape(), scores.shape())) {
      throw new IllegalStateException(
          String.format(
              "expected a gradient of shape %s from %s, got %s",
              Arrays.toString(scores.shape()), loss, Arrays.toString(delta.shape())));
    }
    Gradient gradient = new DefaultGradient();
    INDArray byWeights = gradientViews.get(WEIGHTS);
    multiply(of(delta).transpose(), of(vectors()), 0, byWeights.transpose());
    gradient.gradientForVariable().put(WEIGHTS, byWeights);
    if (hasBias()) {
      INDArray byBias = gradientViews.get(BIAS);
      delta.sum(byBias, 0);
      gradient.gradientForVariable().put(BIAS, byBias);
    }
    INDArray byInput =
        workspaceMgr.createUninitialized(ArrayType.ACTIVATION_GRAD, dataType, input.shape(), 'c');
    multiply(of(delta), weights(true, workspaceMgr).transpose(), 0, byInput);
    return new Pair<>(gradient, backpropDropOutIfPresent(byInput));
  }

  /** A copy outside of all workspaces: a loss function might overwrite what it is given. */
  private void keep(INDArray scores) {
    if (room == null || !Arrays.equals(room.shape(), scores.shape())) {
      try (MemoryWorkspace none = Nd4j.getWorkspaceManager().scopeOutOfWorkspaces()) {
        room = Nd4j.createUninitialized(dataType, scores.shape());
      }
    }
    algebra.copy(scores, room);
    scored = room;
  }

  private void multiply(MatrixStack a, MatrixStack b, double beta, INDArray result) {
    algebra.multiply(1, a, b, beta, of(result), 1);
  }

  /** A column of ones: times the bias, it is the bias for each example. */
  private INDArray ones() {
    if (ones == null || ones.size(0) != input.size(0)) {
      try (MemoryWorkspace none = Nd4j.getWorkspaceManager().scopeOutOfWorkspaces()) {
        ones = Nd4j.ones(dataType, input.size(0), 1);
      }
    }
    return ones;
  }
}
