/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.cli.Commands;
import io.github.spd4j.cli.Main;
import io.github.spd4j.models.ModelCard;
import io.github.spd4j.models.SafeModels;
import io.github.spd4j.predictions.ImageClassifier;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class ServeCommandTest {

  private static final int TERMINATED = 128 + 15;
  private static final int CLIENTS = 32;
  private static final String TOKEN = "0123456789abcdef";

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
    assertMistake("address of this machine", model, "--host", "192.0.2.1", "--token", TOKEN);
    assertMistake("16 letters", model, "--host", "0.0.0.0", "--token", "short");
    assertMistake("16 letters", model, "--token", "with spaces in the middle");
    assertMistake("--max-mb: expected 1 to 512", model, "--max-mb", "0");
    assertMistake("--queue: expected at least 1", model, "--queue", "0");
    assertMistake("--unsure-below needs 0 to 100", model, "--unsure-below", "101");
    assertMistake("--batch: expected at least 1", model, "--batch", "0");
    assertMistake("--seconds: expected at least 1", model, "--seconds", "0");
    assertMistake("--max-pixels: expected", model, "--max-pixels", "0");
    assertMistake("and ONNX Runtime on the class path", model, "--engine", "onnxruntime");
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      String port = String.valueOf(taken.getLocalPort());
      assertMistake("port " + port, model, "--port", port);
      assertThat(err.toString()).contains("choose another --port");
    }
  }

  @Test
  void aModelThatCannotTakeItsOwnPicturesIsNamedAtTheStart() throws Exception {
    Path model = TinyModel.write(folder.resolve("model.zip"));
    ModelCard card = ModelCard.read(model);
    ModelCard small = ModelCard.of(card.classes(), 3, card.views(), card.pixels());
    ImageClassifier.save(SafeModels.loadGraph(model), small, model);
    assertMistake("train the model again", model.toString(), "--port", "0");
  }

  /** Starts {@code spd serve} on any free port. */
  private Process start(Path model, String... options) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(Main.class.getName(), "serve", model.toString(), "--port", "0"));
    command.addAll(List.of(options));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(log().toFile())
        .start();
  }

  private Path log() {
    return folder.resolve("log.txt");
  }

  /** Where it says that it listens. */
  private String address(Process process) throws Exception {
    while (process.isAlive()) {
      for (String line : Files.readAllLines(log())) {
        if (line.contains("Ctrl-C")) { // the next line
          return Files.readString(log()).replaceFirst("(?s).*(http://\\S+).*", "$1");
        }
      }
      Thread.sleep(20);
    }
    throw new AssertionError(Files.readString(log()));
  }

  @Test
  @Tag("both")
  void itSaysWhereItListensAndLeavesWhenItIsTold() throws Exception {
    Process process = start(TinyModel.write(folder.resolve("model.zip")));
    try {
      String address = address(process);
      assertThat(address).matches("http://127\\.0\\.0\\.1:\\d+");
      HttpRequest request =
          HttpRequest.newBuilder(URI.create(address + "/v1/predict"))
              .POST(BodyPublishers.ofByteArray(TinyModel.png(1)))
              .build();
      assertThat(HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).statusCode())
          .isEqualTo(200);
      try (Wire idle = new Wire(new InetSocketAddress(URI.create(address).getPort()))) {
        idle.send("GET /health HTTP/1.1\r\n"); // holds nobody up
        process.destroy();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      }
      assertThat(process.exitValue()).isEqualTo(TERMINATED);
    } finally {
      process.destroyForcibly();
    }
  }

  /** Who still gets an answer when it leaves gets a true one; the log is not filled. */
  @Test
  void underLoadItLeavesWithoutAWord() throws Exception {
    Process process = start(TinyModel.write(folder.resolve("model.zip")), "--queue", "24");
    ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
    Map<Integer, Integer> answers = new ConcurrentHashMap<>();
    try {
      String address = address(process);
      byte[] picture = TinyModel.png(1, 1500, 1500);
      for (int i = 0; i < CLIENTS; i++) {
        clients.execute(() -> askUntilItIsGone(address, picture, answers));
      }
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
      while (answers.getOrDefault(200, 0) < CLIENTS) {
        assertThat(System.nanoTime()).isLessThan(end);
        Thread.sleep(10);
      }
      process.destroy();
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      clients.shutdown();
      assertThat(clients.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    } finally {
      clients.shutdownNow();
      process.destroyForcibly();
    }
    assertThat(answers.keySet())
        .as("%s, %s", answers, Files.readString(log()))
        .isSubsetOf(200, 503)
        .contains(503);
    assertThat(process.exitValue()).isEqualTo(TERMINATED);
    List<String> lines = Files.readAllLines(log());
    List<String> log =
        lines.subList(lines.indexOf("Ctrl-C stops it.") + 1, lines.size()).stream()
            .filter(line -> !line.startsWith("Warning: Loader"))
            .toList();
    assertThat(log).hasSizeLessThanOrEqualTo(2).noneMatch(line -> line.startsWith("\tat "));
  }

  private static void askUntilItIsGone(
      String address, byte[] picture, Map<Integer, Integer> answers) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(address + "/v1/predict?explain=true"))
            .POST(BodyPublishers.ofByteArray(picture))
            .build();
    HttpClient client = HttpClient.newHttpClient();
    try {
      while (true) {
        answers.merge(
            client.send(request, BodyHandlers.discarding()).statusCode(), 1, Integer::sum);
      }
    } catch (IOException e) {
      // Nobody answers any more.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
