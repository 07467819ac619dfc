/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.benchmarks;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A Python that runs {@code torch_side.py}: one request a line, one answer a line. */
final class TorchProcess implements AutoCloseable {

  private static final String SCRIPT = "torch_side.py";
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Process process;
  private final Writer requests;
  private final BufferedReader answers;

  private TorchProcess(Process process) {
    this.process = process;
    this.requests = new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8);
    this.answers =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  /**
   * Starts PyTorch.
   *
   * @param python a Python with PyTorch
   * @param threads how many threads it may use
   * @param folder where to put the script
   */
  static TorchProcess start(String python, int threads, Path folder) {
    Path script = folder.resolve(SCRIPT);
    try (InputStream in = TorchProcess.class.getResourceAsStream(SCRIPT)) {
      Files.copy(in, script, StandardCopyOption.REPLACE_EXISTING);
      ProcessBuilder builder =
          new ProcessBuilder(
                  List.of(python, script.toString(), String.valueOf(threads), Device.torchName()))
              .redirectError(ProcessBuilder.Redirect.INHERIT);
      builder.environment().put("OMP_NUM_THREADS", String.valueOf(threads));
      String ownCore = System.getenv("SPD_TORCH_CORETYPE");
      if (ownCore != null) {
        builder.environment().put("OPENBLAS_CORETYPE", ownCore);
      }
      return new TorchProcess(builder.start());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start " + python, e);
    }
  }

  /**
   * Sends a request and waits for its answer.
   *
   * @param request what to do and with what
   * @return the answer
   * @throws IllegalStateException if PyTorch has a problem with it
   */
  JsonNode ask(Map<String, ?> request) {
    try {
      requests.write(JSON.writeValueAsString(request) + "\n");
      requests.flush();
      String line = answers.readLine();
      if (line == null) {
        throw new IllegalStateException("PyTorch's side has ended: its last lines say why");
      }
      JsonNode reply = JSON.readTree(line);
      if (reply.has("problem")) {
        throw new IllegalStateException("PyTorch's side: " + reply.get("problem").asText());
      }
      return reply.get("answer");
    } catch (IOException e) {
      throw new UncheckedIOException("lost PyTorch's side", e);
    }
  }

  @Override
  public void close() {
    try {
      requests.close();
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroy();
      }
    } catch (IOException e) {
      process.destroy();
    } catch (InterruptedException e) {
      process.destroy();
      Thread.currentThread().interrupt();
    }
  }
}
