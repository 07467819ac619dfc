/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.predictions;

import io.github.spd4j.internal.inference.Compiler;
import java.util.Iterator;
import java.util.ServiceLoader;
import java.util.function.UnaryOperator;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.ops.transforms.Transforms;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Chooses what computes the outputs of a network. */
final class NetworkOutputs {

  private static final Logger LOG = LoggerFactory.getLogger(NetworkOutputs.class);

  private static final int COLOURS = 3;

  /** What an engine's probabilities may differ from those of DL4J by. */
  private static final double TOLERANCE = 1e-5;

  private NetworkOutputs() {}

  /** What takes a batch of images of a size and gives the network's output, FLOAT. */
  static UnaryOperator<INDArray> of(ComputationGraph net, int size, Engine engine) {
    UnaryOperator<INDArray> own = images -> net.outputSingle(false, images).castTo(DataType.FLOAT);
    if (engine == Engine.DL4J) {
      return own;
    }
    Iterator<Compiler> compilers =
        ServiceLoader.load(Compiler.class, NetworkOutputs.class.getClassLoader()).iterator();
    if (!compilers.hasNext()) {
      throw new IllegalStateException(
          "expected spd-dl4j-onnx on the class path, for the engine " + engine + ", got none");
    }
    if (net.getConfiguration().getDataType() != DataType.FLOAT) {
      LOG.info("DL4J computes the answers: ONNX Runtime does so in single precision alone");
      return own;
    }
    try {
      UnaryOperator<INDArray> other =
          compilers.next().compile(net, InputType.convolutional(size, size, COLOURS));
      double difference = difference(own, other, size);
      if (difference <= TOLERANCE) {
        LOG.info("ONNX Runtime computes the answers");
        return other;
      }
      LOG.warn("DL4J computes the answers: those of ONNX Runtime differ by {}", difference);
    } catch (UnsupportedOperationException e) {
      LOG.info("DL4J computes the answers: {}", e.getMessage());
    }
    return own;
  }

  /** How much the answers to an image differ, which the classifier may never have seen the like. */
  private static double difference(
      UnaryOperator<INDArray> own, UnaryOperator<INDArray> other, int size) {
    INDArray numbers = Nd4j.arange(COLOURS * size * size).castTo(DataType.FLOAT).divi(10);
    INDArray image = Transforms.sin(numbers).reshape(1, COLOURS, size, size);
    return own.apply(image.dup()).sub(other.apply(image)).amaxNumber().doubleValue();
  }
}
