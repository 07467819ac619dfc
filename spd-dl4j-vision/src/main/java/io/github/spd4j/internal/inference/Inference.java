/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.inference;

import io.github.spd4j.internal.backend.host.HostFloats;
import io.github.spd4j.models.Engine;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Chooses what computes outputs of networks. */
public final class Inference {

  private static final Logger LOG = LoggerFactory.getLogger(Inference.class);

  /** What numbers may differ from those of DL4J by, of the largest if that is over 1. */
  private static final double TOLERANCE = 1e-5;

  private static final Set<String> SAID = ConcurrentHashMap.newKeySet();

  private final Engine engine;
  private final String what;

  /**
   * A choice.
   *
   * @param engine what is asked for
   * @param what what is computed, for the log
   */
  public Inference(Engine engine, String what) {
    this.engine = engine;
    this.what = what;
  }

  /**
   * What computes outputs elsewhere, if it gives the same. The log says which engine computes, and
   * why it is DL4J if another was asked for.
   *
   * @param net the network, which takes images
   * @param vertices whose outputs are needed
   * @param change what is made of these
   * @param own does the same by DL4J
   * @param example the image that both are compared with, of the size of all
   * @return nothing if DL4J is to compute them
   * @throws IllegalStateException if an engine is asked for that is not there
   */
  public Optional<Compiled> compiled(
      ComputationGraph net,
      List<String> vertices,
      UnaryOperator<List<INDArray>> change,
      Function<INDArray, List<INDArray>> own,
      Supplier<INDArray> example) {
    if (engine == Engine.DL4J) {
      return Optional.empty();
    }
    Optional<Compiler> compiler = compiler();
    if (compiler.isEmpty()) {
      if (engine != Engine.AUTO) {
        throw new IllegalStateException(
            "expected spd-dl4j-onnx and ONNX Runtime on the class path, for the engine "
                + engine
                + ", got none for this machine");
      }
      return staying("ONNX Runtime is not on the class path");
    }
    if (engine == Engine.AUTO && !HostFloats.isPossible(Nd4j.scalar(DataType.FLOAT, 0))) {
      return staying("it runs on a GPU");
    }
    if (net.getConfiguration().getDataType() != DataType.FLOAT) {
      return staying("ONNX Runtime does so in single precision alone");
    }
    try {
      INDArray image = example.get();
      List<INDArray> expected = own.apply(image.dup()); // what DL4J refuses goes nowhere else
      InputType type = InputType.convolutional(image.size(2), image.size(3), image.size(1));
      Compiled other = compiler.get().compile(net, type, vertices).then(change);
      List<INDArray> actual = other.run(image);
      double difference =
          IntStream.range(0, expected.size())
              .mapToDouble(i -> difference(expected.get(i), actual.get(i)))
              .max()
              .orElseThrow();
      if (difference <= TOLERANCE) {
        say("ONNX Runtime computes " + what);
        return Optional.of(other);
      }
      other.close();
      return staying("those of ONNX Runtime differ by " + difference);
    } catch (RuntimeException e) { // DL4J says the same, or computes what only ONNX cannot
      return staying(e.getMessage());
    }
  }

  private static Optional<Compiler> compiler() {
    return ServiceLoader.load(Compiler.class, Inference.class.getClassLoader())
        .findFirst()
        .filter(Compiler::isPossible);
  }

  private static double difference(INDArray own, INDArray other) {
    double largest = Math.max(1, own.amaxNumber().doubleValue());
    return own.sub(other).amaxNumber().doubleValue() / largest;
  }

  private Optional<Compiled> staying(String reason) {
    say("DL4J computes " + what + ": " + reason);
    return Optional.empty();
  }

  private static void say(String text) {
    String line = text.replaceAll("\\p{Cntrl}", "?"); // names come from model files
    if (SAID.add(line)) {
      LOG.info("{}", line);
    }
  }
}
