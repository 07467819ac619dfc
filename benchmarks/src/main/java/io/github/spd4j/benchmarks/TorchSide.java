/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.benchmarks;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.spd4j.examples.cli.Mistake;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** PyTorch, in a process of its own, with what it needs to compute the same as we do. */
final class TorchSide implements AutoCloseable {

  private static final List<String> PYTHONS = List.of("python3", "/usr/bin/python3");

  private final Path folder;
  private final TorchProcess process;

  private TorchSide(Path folder, TorchProcess process) {
    this.folder = folder;
    this.process = process;
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
      throw new Mistake("--python needs a Python that can import torch, got " + python);
    }
    return Stream.concat(Stream.ofNullable(python), PYTHONS.stream())
        .filter(TorchSide::hasTorch)
        .findFirst()
        .map(found -> start(temporaryFolder(), found, threads));
  }

  private static TorchSide start(Path folder, String python, int threads) {
    return new TorchSide(folder, TorchProcess.start(python, threads, folder));
  }

  private static boolean hasTorch(String python) {
    try {
      Process probe =
          new ProcessBuilder(python, "-c", "import torch")
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      return probe.waitFor() == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static Path temporaryFolder() {
    try {
      return Files.createTempDirectory("spd-bench");
    } catch (IOException e) {
      throw new UncheckedIOException("cannot make a temporary folder", e);
    }
  }

  /** Versions, by name. */
  Map<String, String> versions() {
    Map<String, String> versions = new LinkedHashMap<>();
    process
        .ask(Map.of("do", "versions"))
        .fields()
        .forEachRemaining(entry -> versions.put(entry.getKey(), entry.getValue().asText()));
    return versions;
  }

  /** Loads a workload, and makes sure that both sides compute the same. */
  void load(Workload workload) {
    workload.save(folder);
    process.ask(request("load", workload));
    process.ask(Map.of("do", "check", "folder", folder.toString()));
    workload
        .results()
        .forEach(
            (name, ours) ->
                Agreement.require(name, ours, RawArrays.read(folder, name, ours.shape())));
  }

  /** Loads the product of two square matrices. */
  void loadProduct(int size) {
    process.ask(Map.of("do", "load", "kind", "product", "settings", Map.of("size", size)));
  }

  private Map<String, Object> request(String what, Workload workload) {
    Map<String, Object> settings = new LinkedHashMap<>(workload.settings());
    settings.put("folder", folder.toString());
    Map<String, Object> request = new LinkedHashMap<>();
    request.put("do", what);
    request.put("kind", workload.kind());
    request.put("settings", settings);
    return request;
  }

  /** Milliseconds of one run of what was loaded. */
  double run(String what) {
    JsonNode times = process.ask(Map.of("do", "run", "what", what, "times", 1));
    return times.get(0).asDouble();
  }

  /** Bytes at the peak of some runs of a workload, which is loaded for it. */
  long peak(Workload workload, String what, int times) {
    workload.save(folder);
    Map<String, Object> request = request("peak", workload);
    request.put("what", what);
    request.put("times", times);
    return process.ask(request).asLong();
  }

  @Override
  public void close() {
    process.close();
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toArray(Path[]::new)) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot remove " + folder, e);
    }
  }
}
