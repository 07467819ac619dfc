/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.acceleration;

import io.github.spd4j.backend.Algebra;
import io.github.spd4j.backend.Backend;
import io.github.spd4j.backend.MatrixStack;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.layers.OutputLayer;
import org.deeplearning4j.nn.params.DefaultParamInitializer;
import org.deeplearning4j.nn.workspace.ArrayType;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.memory.MemoryWorkspace;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * DL4J's output layer with another way to multiply vectors by the weights. The product has few
 * entries, and behind an SPD head each is a sum of a hundred thousand numbers. ND4J leaves it to a
 * BLAS, which divides the entries among its threads, but not the sums; here the sums are divided.
 * On a GPU it is one call of cuBLAS, without ND4J's own cost of an operation.
 */
final class AcceleratedOutputLayer extends OutputLayer {

  private static final long serialVersionUID = 1L;

  private static final String WEIGHTS = DefaultParamInitializer.WEIGHT_KEY;
  private static final String BIAS = DefaultParamInitializer.BIAS_KEY;

  private transient INDArray ones;

  AcceleratedOutputLayer(NeuralNetConfiguration conf, DataType type) {
    super(conf, type);
  }

  /** DL4J does what is rare, and refuses what does not fit. */
  @Override
  protected INDArray preOutput(boolean training, LayerWorkspaceMgr workspaceMgr) {
    boolean fits = input != null && input.rank() == 2 && input.size(1) == getParam(WEIGHTS).size(0);
    if (!fits || maskArray != null || hasLayerNorm()) {
      return super.preOutput(training, workspaceMgr);
    }
    applyDropOutIfNecessary(training, workspaceMgr);
    INDArray weights = getParamWithNoise(WEIGHTS, training, workspaceMgr);
    long[] shape = {input.size(0), weights.size(1)};
    INDArray result = workspaceMgr.createUninitialized(ArrayType.ACTIVATIONS, dataType, shape, 'c');
    if (hasBias()) {
      INDArray bias = MatrixStack.inOrder(getParamWithNoise(BIAS, training, workspaceMgr));
      multiply(ones(), MatrixStack.of(bias.reshape('c', 1, shape[1])), 0, result);
    }
    // DL4J's weights lie in memory column by column.
    MatrixStack columns = MatrixStack.of(MatrixStack.inOrder(weights.transpose())).transpose();
    INDArray vectors = MatrixStack.inOrder(input.castTo(dataType));
    multiply(vectors, columns, hasBias() ? 1 : 0, result);
    return result;
  }

  private static void multiply(INDArray a, MatrixStack b, double beta, INDArray result) {
    Algebra algebra = Backend.current().algebra();
    algebra.multiply(1, MatrixStack.of(a), b, beta, MatrixStack.of(result), 1);
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
