/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.onnx;

import io.github.spd4j.internal.inference.Compiler;
import java.io.IOException;
import java.util.List;
import java.util.function.Function;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.ndarray.INDArray;

/** Writes a network as ONNX and computes it by ONNX Runtime. */
public final class OnnxCompiler implements Compiler {

  /** For the service loader. */
  public OnnxCompiler() {}

  @Override
  public boolean isPossible() {
    return Rehearsal.isPossible();
  }

  @Override
  public Function<INDArray, List<INDArray>> compile(
      ComputationGraph net, InputType images, List<String> vertices) {
    byte[] file = OnnxWriter.write(net, images, vertices);
    try {
      OnnxSession session = new OnnxSession(file);
      OnnxSession.closeWith(session, net);
      return session::run;
    } catch (IOException e) {
      throw new UnsupportedOperationException(e.getMessage(), e);
    }
  }
}
