/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.onnx;

import io.github.spd4j.internal.inference.Compiler;
import java.io.IOException;
import java.util.function.UnaryOperator;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.ndarray.INDArray;

/** Writes a network as ONNX and computes it by ONNX Runtime. */
public final class OnnxCompiler implements Compiler {

  /** For the service loader. */
  public OnnxCompiler() {}

  @Override
  public UnaryOperator<INDArray> compile(ComputationGraph net, InputType images) {
    byte[] file = OnnxWriter.write(net, images);
    try {
      OnnxSession session = new OnnxSession(file);
      OnnxSession.closeWith(session, net);
      return session::run;
    } catch (IOException e) {
      throw new UnsupportedOperationException(e.getMessage(), e);
    }
  }
}
