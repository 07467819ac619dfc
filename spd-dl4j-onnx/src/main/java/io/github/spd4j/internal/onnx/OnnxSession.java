/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.onnx;

import ai.onnxruntime.NodeInfo;
import ai.onnxruntime.OnnxJavaType;
import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OnnxValue;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtLoggingLevel;
import ai.onnxruntime.OrtSession;
import ai.onnxruntime.TensorInfo;
import io.github.spd4j.internal.backend.MatrixStack;
import io.github.spd4j.internal.backend.host.HostFloats;
import io.github.spd4j.linalg.Matrices;
import java.io.IOException;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.memory.MemoryWorkspace;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * A file in ONNX Runtime, on the CPU. It may be used by several threads, but not while it is
 * closed.
 */
public final class OnnxSession implements AutoCloseable {

  private static final Cleaner CLEANER = Cleaner.create();

  private final OrtSession session;
  private final String input;

  /**
   * The shapes of the outputs but for the number of images; empty unless those of all are known.
   */
  private final Map<String, long[]> known;

  /**
   * Opens a session.
   *
   * @param file the bytes of a file that {@link CheckedGraph} wrote
   * @throws IOException if ONNX Runtime refuses it
   */
  public OnnxSession(byte[] file) throws IOException {
    OrtSession opened = null;
    try (OrtSession.SessionOptions options = new OrtSession.SessionOptions()) {
      options.setIntraOpNumThreads(threads());
      options.setInterOpNumThreads(1);
      options.setSessionLogLevel(OrtLoggingLevel.ORT_LOGGING_LEVEL_ERROR);
      opened = OrtEnvironment.getEnvironment().createSession(file, options);
      input = opened.getInputNames().iterator().next();
      known = known(opened.getOutputInfo());
      session = opened;
      opened = null;
    } catch (OrtException e) {
      throw new IOException("ONNX Runtime refuses it: " + reason(e), e);
    } catch (LinkageError e) {
      throw new IllegalStateException(
          "expected ONNX Runtime on the class path, com.microsoft.onnxruntime:onnxruntime, got none"
              + " for this machine",
          e);
    } finally {
      closeUnused(opened);
    }
  }

  /** What is open when its owner cannot be made. */
  private static void closeUnused(OrtSession session) throws IOException {
    if (session != null) {
      try {
        session.close();
      } catch (OrtException e) {
        throw new IOException("ONNX Runtime cannot close it: " + reason(e), e);
      }
    }
  }

  private static Map<String, long[]> known(Map<String, NodeInfo> outputs) {
    Map<String, long[]> shapes = new LinkedHashMap<>();
    outputs.forEach(
        (name, output) -> {
          if (output.getInfo() instanceof TensorInfo tensor
              && tensor.type == OnnxJavaType.FLOAT
              && tensor.getShape().length > 0
              && tensor.getShape()[0] < 0
              && LongStream.of(tensor.getShape()).skip(1).allMatch(size -> size > 0)) {
            shapes.put(name, tensor.getShape());
          }
        });
    return shapes.size() == outputs.size() ? shapes : Map.of();
  }

  /**
   * Closes a session when nothing needs its owner any more.
   *
   * @param session the session
   * @param owner what computes by it; the session does not refer to it
   * @return closes it earlier
   */
  static Cleaner.Cleanable closeWith(OnnxSession session, Object owner) {
    return CLEANER.register(owner, session::close);
  }

  /** As many as all else here computes with. */
  private static int threads() {
    int processors = Runtime.getRuntime().availableProcessors();
    try {
      int asked = Integer.parseInt(String.valueOf(System.getenv("OMP_NUM_THREADS")).trim());
      return Math.max(1, Math.min(asked, processors));
    } catch (NumberFormatException e) {
      return processors;
    }
  }

  /**
   * Computes all outputs.
   *
   * @param images the input
   * @return new arrays, FLOAT, in the order of the file
   * @throws IllegalArgumentException if it does not take such an input
   */
  public List<INDArray> run(INDArray images) {
    INDArray numbers = MatrixStack.inOrder(images.castTo(DataType.FLOAT));
    List<INDArray> outputs = new ArrayList<>();
    Map<String, OnnxTensor> places = new LinkedHashMap<>();
    try (MemoryWorkspace none = Nd4j.getWorkspaceManager().scopeOutOfWorkspaces();
        OnnxTensor tensor = tensor(numbers)) {
      if (known.isEmpty() || !HostFloats.isPossible(numbers)) {
        try (OrtSession.Result result = session.run(Map.of(input, tensor))) {
          result.forEach(output -> outputs.add(array(output.getValue())));
        }
        return outputs;
      }
      for (Map.Entry<String, long[]> output : known.entrySet()) {
        long[] shape = output.getValue().clone();
        shape[0] = images.size(0);
        outputs.add(Nd4j.createUninitialized(DataType.FLOAT, shape));
        places.put(output.getKey(), tensor(outputs.get(outputs.size() - 1)));
      }
      session.run(Map.of(input, tensor), places).close();
      return outputs;
    } catch (OrtException e) {
      throw refusal(images, e);
    } finally {
      places.values().forEach(OnnxTensor::close);
      Reference.reachabilityFence(numbers); // the memory is given back with the arrays
      Reference.reachabilityFence(outputs);
    }
  }

  /** The memory of an array on the CPU, a copy of others. */
  private static OnnxTensor tensor(INDArray numbers) throws OrtException {
    FloatBuffer memory =
        HostFloats.isPossible(numbers)
            ? new HostFloats(numbers).memory()
            : FloatBuffer.wrap(Matrices.floats(numbers));
    return OnnxTensor.createTensor(OrtEnvironment.getEnvironment(), memory, numbers.shape());
  }

  private static INDArray array(OnnxValue output) {
    if (output instanceof OnnxTensor values && values.getFloatBuffer() != null) {
      return Nd4j.createFromArray(values.getFloatBuffer().array())
          .reshape(values.getInfo().getShape());
    }
    throw new IllegalArgumentException("expected an output of floats, got " + output.getInfo());
  }

  /**
   * The shapes of all outputs that are floats.
   *
   * @param images the input, FLOAT
   * @return shapes by name, in the order of the file
   */
  public Map<String, long[]> shapes(INDArray images) {
    Map<String, long[]> shapes = new LinkedHashMap<>();
    INDArray numbers = MatrixStack.inOrder(images);
    try (OnnxTensor tensor = tensor(numbers);
        OrtSession.Result result = session.run(Map.of(input, tensor))) {
      for (Map.Entry<String, OnnxValue> output : result) {
        if (output.getValue().getInfo() instanceof TensorInfo info
            && info.type == OnnxJavaType.FLOAT) {
          shapes.put(output.getKey(), info.getShape());
        }
      }
      return shapes;
    } catch (OrtException e) {
      throw refusal(images, e);
    } finally {
      Reference.reachabilityFence(numbers);
    }
  }

  private static IllegalArgumentException refusal(INDArray images, OrtException e) {
    return new IllegalArgumentException(
        "ONNX Runtime cannot compute images of "
            + Arrays.toString(images.shape())
            + ": "
            + reason(e),
        e);
  }

  private static String reason(OrtException e) {
    return CheckedGraph.quoted(String.valueOf(e.getMessage()).lines().findFirst().orElse(""));
  }

  @Override
  public void close() {
    try {
      session.close();
    } catch (OrtException e) {
      throw new IllegalStateException(e); // it was closed before
    }
  }
}
