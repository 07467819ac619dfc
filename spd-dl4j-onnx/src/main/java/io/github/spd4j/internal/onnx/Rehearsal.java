/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.onnx;

import ai.onnxruntime.OnnxJavaType;
import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.file.Path;
import java.util.Map;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** Runs a file in ONNX Runtime, if that is on the class path. */
public final class Rehearsal {

  private Rehearsal() {}

  /**
   * Whether there is an ONNX Runtime.
   *
   * @return true if its classes and its native library can be loaded
   */
  public static boolean isPossible() {
    try {
      OrtEnvironment.getEnvironment();
      return true;
    } catch (LinkageError | RuntimeException e) {
      return false;
    }
  }

  /**
   * What a file with one input and one output makes of images.
   *
   * @param model the file
   * @param images numbers of FLOAT, or bytes as numbers of FLOAT from 0 to 255
   * @param areBytes whether the file takes bytes
   * @return the output
   * @throws IllegalStateException if ONNX Runtime refuses the file
   */
  public static INDArray run(Path model, INDArray images, boolean areBytes) {
    OrtEnvironment environment = OrtEnvironment.getEnvironment();
    try (OrtSession session = environment.createSession(model.toString());
        OnnxTensor input = tensor(environment, images, areBytes);
        OrtSession.Result result =
            session.run(Map.of(session.getInputNames().iterator().next(), input))) {
      OnnxTensor output = (OnnxTensor) result.get(0);
      FloatBuffer numbers = output.getFloatBuffer();
      float[] values = new float[numbers.remaining()];
      numbers.get(values);
      return Nd4j.createFromArray(values).reshape(output.getInfo().getShape());
    } catch (OrtException e) {
      throw new IllegalStateException("ONNX Runtime refuses " + model, e);
    }
  }

  private static OnnxTensor tensor(OrtEnvironment environment, INDArray images, boolean areBytes)
      throws OrtException {
    float[] numbers = images.castTo(DataType.FLOAT).dup('c').data().asFloat();
    if (!areBytes) {
      return OnnxTensor.createTensor(environment, FloatBuffer.wrap(numbers), images.shape());
    }
    ByteBuffer bytes = ByteBuffer.allocateDirect(numbers.length);
    for (float number : numbers) {
      bytes.put((byte) (int) number);
    }
    bytes.flip();
    return OnnxTensor.createTensor(environment, bytes, images.shape(), OnnxJavaType.UINT8);
  }
}
