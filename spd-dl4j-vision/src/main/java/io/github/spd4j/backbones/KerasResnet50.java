/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.backbones;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * The ResNet50 of Keras' applications, as in the first version of the paper: with biases, and the
 * stride of a stage in a 1×1 convolution.
 */
record KerasResnet50(KerasWeights weights) implements Resnet50Graph.Original {

  private static final Map<String, String> NAMES =
      Map.of("gamma", "gamma", "beta", "beta", "mean", "moving_mean", "var", "moving_variance");

  /** The network with weights from an HDF5 file. */
  static ComputationGraph read(Path file, int... filters) {
    ModelFiles.requireFile(file);
    try (KerasWeights weights = new KerasWeights(file)) {
      return Resnet50Graph.read(new KerasResnet50(weights), filters);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public int strided() {
    return 1;
  }

  @Override
  public double epsilon() {
    return 1.001e-5;
  }

  @Override
  public boolean hasBias() {
    return true;
  }

  @Override
  public INDArray kernel(String layer, long... shape) {
    return weights.kernel(layer, shape);
  }

  @Override
  public INDArray bias(String layer, long length) {
    return weights.bias(layer, length);
  }

  @Override
  public INDArray vector(String layer, String parameter, long length) {
    return weights.vector(layer, NAMES.get(parameter), length);
  }
}
