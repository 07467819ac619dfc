/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.benchmarks;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.spd4j.experiments.UserException;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * PyTorch in a process of its own, which runs {@code torch_side.py}: one request a line, one answer
 * a line. Arrays go there and back as files in a temporary folder.
 */
final class TorchSide implements AutoCloseable {

  private static final List<String> PYTHONS = List.of("python3", "/usr/bin/python3");
  private static final String SCRIPT = "torch_side.py";

  /** The largest difference that is accepted in FLOAT, as a share of the largest entry. */
  static final double TOLERANCE = 1e-4;

  private static final ObjectMapper JSON = new ObjectMapper();

  private final Path folder;
  private final Process process;
  private final BufferedWriter requests;
  private final BufferedReader answers;

  private TorchSide(String python, int threads) {
    try (InputStream script = TorchSide.class.getResourceAsStream(SCRIPT)) {
      folder = Files.createTempDirectory("spd-bench");
      Files.copy(script, folder.resolve(SCRIPT));
      ProcessBuilder builder =
          new ProcessBuilder(
                  python,
                  folder.resolve(SCRIPT).toString(),
                  String.valueOf(threads),
                  Bench.isGpu() ? "cuda" : "cpu")
              .redirectError(ProcessBuilder.Redirect.INHERIT);
      builder.environment().put("OMP_NUM_THREADS", String.valueOf(threads));
      builder.environment().remove("OMP_WAIT_POLICY"); // PyTorch is faster if its threads spin
      String ownCore = System.getenv("SPD_TORCH_CORETYPE");
      if (ownCore != null) {
        builder.environment().put("OPENBLAS_CORETYPE", ownCore);
      }
      process = builder.start();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start " + python, e);
    }
    requests = process.outputWriter(StandardCharsets.UTF_8);
    answers = process.inputReader(StandardCharsets.UTF_8);
  }

  /**
   * Starts PyTorch.
   *
   * @param python which Python, or null for the first that has PyTorch
   * @param threads how many threads it may use
   * @return PyTorch, or nothing if no Python was asked for and none has it
   */
  static Optional<TorchSide> start(String python, int threads) {
    if (python != null && !hasTorch(python)) {
      throw new UserException("--python needs a Python that can import torch, got " + python);
    }
    return (python == null ? PYTHONS.stream().filter(TorchSide::hasTorch) : Stream.of(python))
        .findFirst()
        .map(found -> new TorchSide(found, threads));
  }

  private static boolean hasTorch(String python) {
    try {
      Process probe =
          new ProcessBuilder(python, "-c", "import torch")
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      return probe.onExit().join().exitValue() == 0;
    } catch (IOException e) {
      return false;
    }
  }

  /** Sends a request and waits for its answer. */
  private JsonNode ask(Map<String, ?> request) {
    try {
      requests.write(JSON.writeValueAsString(request) + "\n");
      requests.flush();
      String line = answers.readLine();
      if (line == null) {
        throw new IllegalStateException("PyTorch's process has ended; the lines above say why");
      }
      JsonNode reply = JSON.readTree(line);
      if (reply.has("problem")) {
        throw new IllegalStateException("PyTorch's process: " + reply.get("problem").asText());
      }
      return reply.get("answer");
    } catch (IOException e) {
      throw new UncheckedIOException("lost the connection to PyTorch's process", e);
    }
  }

  /** Versions, by name. */
  Map<String, String> versions() {
    return JSON.convertValue(ask(Map.of("do", "versions")), new TypeReference<>() {});
  }

  /** Lets convolutions round their operands from now on; at the start they do not. */
  void round(Rounding rounding) {
    ask(Map.of("do", "round", "to", rounding.precision.toString()));
  }

  /** Loads a workload, and makes sure that both sides compute the same. */
  void load(Workload workload, double tolerance) {
    ask(request("load", workload));
    ask(Map.of("do", "check", "folder", folder.toString()));
    workload
        .results()
        .forEach((name, ours) -> requireSame(name, ours, read(name, ours.shape()), tolerance));
  }

  /** A request with a workload, whose arrays are written for it. */
  private Map<String, Object> request(String what, Workload workload) {
    workload.arrays().forEach((name, array) -> write(name, array));
    Map<String, Object> settings = new HashMap<>(workload.settings);
    settings.put("folder", folder.toString());
    return new HashMap<>(Map.of("do", what, "kind", workload.kind, "settings", settings));
  }

  /** Files have single-precision numbers, row by row and without a header. */
  private void write(String name, INDArray array) {
    float[] values = array.dup('c').data().asFloat();
    ByteBuffer bytes = ByteBuffer.allocate(values.length * Float.BYTES);
    bytes.order(ByteOrder.nativeOrder()).asFloatBuffer().put(values);
    try {
      Files.write(folder.resolve(name), bytes.array());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write " + folder.resolve(name), e);
    }
  }

  private INDArray read(String name, long... shape) {
    try {
      ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(folder.resolve(name)));
      float[] values = new float[bytes.remaining() / Float.BYTES];
      bytes.order(ByteOrder.nativeOrder()).asFloatBuffer().get(values);
      return Nd4j.createFromArray(values).reshape(shape);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + folder.resolve(name), e);
    }
  }

  /**
   * Refuses arrays that differ.
   *
   * @param name what they are
   * @param ours one
   * @param theirs the other, of the same shape
   * @param tolerance what is accepted, as a share of the largest entry
   * @throws IllegalStateException if they differ by more
   */
  static void requireSame(String name, INDArray ours, INDArray theirs, double tolerance) {
    INDArray exact = ours.castTo(DataType.DOUBLE);
    INDArray other = theirs.castTo(DataType.DOUBLE);
    double size = other.amaxNumber().doubleValue();
    double difference = exact.sub(other).norm2Number().doubleValue();
    double largest = exact.subi(other).amaxNumber().doubleValue();
    // The norm tells a NaN, which the maximum passes over.
    if (!(largest <= tolerance * size) || !Double.isFinite(difference)) {
      throw new IllegalStateException(
          String.format(
              "ours and PyTorch's %s differ by %.2e of the largest entry %.2e, expected at most"
                  + " %.0e: nothing was timed",
              name, largest / size, size, tolerance));
    }
  }

  /** Milliseconds of one run of what was loaded, the mean of some. */
  double run(String what, int times) {
    double sum = 0;
    for (JsonNode milliseconds : ask(Map.of("do", "run", "what", what, "times", times))) {
      sum += milliseconds.asDouble();
    }
    return sum / times;
  }

  /** Bytes at the peak of some runs of a workload, which is loaded for it. */
  long peak(Workload workload, String what, int times) {
    Map<String, Object> request = request("peak", workload);
    request.put("what", what);
    request.put("times", times);
    return ask(request).asLong();
  }

  @Override
  public void close() {
    stop();
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot remove " + folder, e);
    }
  }

  /** The script ends with its input. */
  private void stop() {
    try {
      requests.close();
      process.waitFor(10, TimeUnit.SECONDS);
    } catch (IOException e) {
      // It has ended already.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      process.destroy();
    }
  }
}
