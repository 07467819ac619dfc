/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.onnx;

import static org.assertj.core.api.Assertions.assertThat;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import java.nio.FloatBuffer;
import java.util.Map;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** Networks and what ONNX Runtime makes of their translation. */
public final class Answers {

  /** Of the largest number of an answer, or of 1 where that is smaller. */
  private static final double TOLERANCE = 1e-5;

  private Answers() {}

  /** Checks that the translation of a network computes what the network does. */
  public static void assertEqual(ComputationGraph net, InputType type, INDArray input) {
    INDArray expected = net.outputSingle(false, input.dup()).castTo(DataType.DOUBLE);
    INDArray actual = run(OnnxWriter.write(net, type), input).castTo(DataType.DOUBLE);
    assertThat(actual.shape()).isEqualTo(expected.shape());
    double scale = Math.max(1, expected.amaxNumber().doubleValue());
    double difference = actual.sub(expected).amaxNumber().doubleValue();
    assertThat(difference).isLessThanOrEqualTo(TOLERANCE * scale);
  }

  /** Runs a model with one input and one output. */
  static INDArray run(byte[] model, INDArray input) {
    OrtEnvironment environment = OrtEnvironment.getEnvironment();
    FloatBuffer numbers = FloatBuffer.wrap(input.castTo(DataType.FLOAT).dup('c').data().asFloat());
    try (OrtSession session = environment.createSession(model);
        OnnxTensor tensor = OnnxTensor.createTensor(environment, numbers, input.shape());
        OrtSession.Result result =
            session.run(Map.of(session.getInputNames().iterator().next(), tensor))) {
      OnnxTensor output = (OnnxTensor) result.get(0);
      float[] values = new float[output.getFloatBuffer().remaining()];
      output.getFloatBuffer().get(values);
      return Nd4j.createFromArray(values).reshape('c', output.getInfo().getShape());
    } catch (OrtException e) {
      throw new IllegalStateException(e);
    }
  }
}
