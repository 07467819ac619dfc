/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.cli.Commands;
import io.github.spd4j.cli.Main;
import java.io.BufferedReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class ServeCommandTest {

  private static final int TERMINATED = 128 + 15;

  @TempDir private Path folder;
  private final StringWriter err = new StringWriter();

  private int run(String... args) {
    CommandLine spd = Main.commandLine();
    spd.setErr(new PrintWriter(err)).setOut(new PrintWriter(new StringWriter()));
    return spd.execute(Stream.concat(Stream.of("serve"), Stream.of(args)).toArray(String[]::new));
  }

  private void assertMistake(String expected, String... args) {
    err.getBuffer().setLength(0);
    assertThat(run(args)).isEqualTo(Commands.USER_ERROR);
    assertThat(err.toString().lines()).hasSize(1);
    assertThat(err.toString()).contains(expected).doesNotContain("Exception");
  }

  @Test
  void mistakesGetOneLine() throws Exception {
    String model = TinyModel.write(folder.resolve("model.zip")).toString();
    assertMistake("no/such/model", "no/such/model");
    assertMistake("--port: expected 0 to 65535", model, "--port", "70000");
    assertMistake("--host: expected an address", model, "--host", "no.such.host.invalid");
    assertMistake("SPD_TOKEN", model, "--host", "0.0.0.0");
    assertMistake("16 letters", model, "--host", "0.0.0.0", "--token", "short");
    assertMistake("16 letters", model, "--token", "with spaces in the middle");
    assertMistake("--max-mb: expected 1 to 512", model, "--max-mb", "0");
    assertMistake("--queue: expected at least 1", model, "--queue", "0");
    assertMistake("--batch: expected at least 1", model, "--batch", "0");
    assertMistake("--seconds: expected at least 1", model, "--seconds", "0");
    assertMistake("--max-pixels: expected", model, "--max-pixels", "0");
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      String port = String.valueOf(taken.getLocalPort());
      assertMistake("port " + port, model, "--port", port);
      assertThat(err.toString()).contains("choose another --port");
    }
  }

  @Test
  void itSaysWhereItListensAndLeavesWhenItIsTold() throws Exception {
    Path model = TinyModel.write(folder.resolve("model.zip"));
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "serve",
                model.toString(),
                "--port",
                "0")
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      BufferedReader lines = process.inputReader();
      String line = lines.readLine();
      while (line != null && !line.contains("http://")) {
        line = lines.readLine();
      }
      assertThat(line).matches("\\s*http://127\\.0\\.0\\.1:\\d+");
      HttpRequest request =
          HttpRequest.newBuilder(URI.create(line.trim() + "/v1/predict"))
              .POST(BodyPublishers.ofByteArray(TinyModel.png(1)))
              .build();
      assertThat(HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).statusCode())
          .isEqualTo(200);
      try (Wire idle = new Wire(new InetSocketAddress(URI.create(line.trim()).getPort()))) {
        idle.send("GET /health HTTP/1.1\r\n"); // holds nobody up
        process.destroy();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      }
      assertThat(process.exitValue()).isEqualTo(TERMINATED);
    } finally {
      process.destroyForcibly();
    }
  }
}
