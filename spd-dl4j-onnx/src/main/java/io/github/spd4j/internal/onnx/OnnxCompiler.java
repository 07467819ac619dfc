/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.onnx;

import io.github.spd4j.internal.inference.Compiled;
import io.github.spd4j.internal.inference.Compiler;
import java.io.IOException;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.util.List;
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
  public Compiled compile(ComputationGraph net, InputType images, List<String> vertices) {
    try {
      return new Running(new OnnxSession(OnnxWriter.write(net, images, vertices)));
    } catch (IOException e) {
      throw new UnsupportedOperationException(e.getMessage(), e);
    }
  }

  private static final class Running implements Compiled {
    private final OnnxSession session;
    private final Cleaner.Cleanable end;

    Running(OnnxSession session) {
      this.session = session;
      this.end = OnnxSession.closeWith(session, this);
    }

    @Override
    public List<INDArray> run(INDArray images) {
      try {
        return session.run(images);
      } finally {
        Reference.reachabilityFence(this);
      }
    }

    @Override
    public void close() {
      end.clean();
    }
  }
}
