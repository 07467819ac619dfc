/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.serve;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.spd4j.predictions.ImageClassifier;
import io.github.spd4j.testing.Generator;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Eight clients at a time, a third of whose requests is malformed. A seed says what each of them
 * sends, one after the other. A campaign prints the memory before and after.
 */
class FloodTest {

  private static final int CLIENTS = 8;
  private static final int REQUESTS = 12;
  private static final int PICTURES = 5;

  /** What is left over after garbage collection may differ by as much. */
  private static final long NOISE = 16 << 20;

  /** In which ways requests are malformed. */
  private enum Mischief {
    TRUNCATED_PICTURE,
    TRUNCATED_FORM,
    HUGE,
    HUGE_IN_CHUNKS,
    TOO_MANY_PIXELS,
    WRONG_TYPE,
    CUT_OFF,
    SLOW
  }

  @TempDir private Path folder;
  private final HttpClient http = HttpClient.newHttpClient();
  private final List<byte[]> pictures = new ArrayList<>();
  private final List<String> labels = new ArrayList<>();
  private ImageServer server;

  @Test
  void everyRequestGetsItsAnswerAndMemoryStaysFlat() throws Exception {
    ImageClassifier classifier = ImageClassifier.load(TinyModel.write(folder.resolve("model.zip")));
    for (int i = 0; i < PICTURES; i++) {
      pictures.add(TinyModel.png(i, 200, 150));
      labels.add(classifier.classify(new ByteArrayInputStream(pictures.get(i))).label());
    }
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    Duration time = Duration.ofSeconds(5);
    Limits limits = new Limits(1 << 20, 1_000_000, 3 * CLIENTS, 4, time, time, time);
    server = new ImageServer(classifier, any, null, limits);
    try {
      flood(0); // until all that will be loaded is loaded
      long heap = heap();
      long resident = resident();
      Generator.FLOODS.each(this::flood);
      if (Generator.isCampaign()) {
        System.out.printf(
            "heap %d -> %d kB, resident %d -> %d kB%n",
            heap >> 10, heap() >> 10, resident, resident());
      }
      assertThat(heap()).isLessThan(heap + NOISE);
      String metrics = get("/metrics").body();
      assertThat(metrics).contains("spd_predictions_in_hand 0.0").doesNotContain("\"500\"");
    } finally {
      server.close();
    }
  }

  private static long heap() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  /** Kilobytes of the process in memory; 0 where the system does not tell. */
  private static long resident() throws IOException {
    Path status = Path.of("/proc/self/status");
    if (!Files.exists(status)) {
      return 0;
    }
    try (Stream<String> lines = Files.lines(status)) {
      return lines
          .filter(line -> line.startsWith("VmRSS"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
          .sum();
    }
  }

  private void flood(long seed) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
    try {
      List<Callable<Void>> clients = new ArrayList<>();
      for (int client = 0; client < CLIENTS; client++) {
        Random random = new Random(CLIENTS * seed + client);
        clients.add(() -> client(random));
      }
      for (Future<Void> client : threads.invokeAll(clients)) {
        client.get();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private Void client(Random random) throws Exception {
    Wire slow = null;
    for (int i = 0; i < REQUESTS; i++) {
      int picture = random.nextInt(PICTURES);
      Mischief mischief = Mischief.values()[random.nextInt(Mischief.values().length)];
      if (random.nextInt(3) > 0) {
        good(picture, random.nextInt(5) == 0);
        continue;
      }
      if (mischief != Mischief.SLOW) {
        bad(mischief, pictures.get(picture));
        continue;
      }
      if (slow == null) {
        slow = new Wire(server.address()); // keeps sending too little while others go on
        slow.send(Wire.post("Content-Length: 1000")).send(new byte[10]);
      }
    }
    finish(slow);
    return null;
  }

  private static void finish(Wire slow) throws IOException {
    if (slow != null) {
      try (slow) {
        expect(slow.rest(), 408);
      }
    }
  }

  private void good(int picture, boolean explain) throws Exception {
    HttpResponse<String> answer =
        post(explain ? "?explain=true" : "", pictures.get(picture), "image/png");
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    var body = new ObjectMapper().readTree(answer.body());
    assertThat(body.get("label").asText()).isEqualTo(labels.get(picture));
    assertThat(body.has("attribution")).isEqualTo(explain);
  }

  private void bad(Mischief mischief, byte[] picture) throws Exception {
    switch (mischief) {
      case TRUNCATED_PICTURE ->
          expect(post("", Arrays.copyOf(picture, picture.length / 2), "image/png"), 422);
      case TRUNCATED_FORM -> {
        byte[] start =
            "--x\r\nContent-Disposition: form-data; name=\"image\"\r\n\r\n..."
                .getBytes(StandardCharsets.UTF_8);
        expect(post("", start, "multipart/form-data; boundary=x"), 400);
      }
      case HUGE -> wire(413, Wire.post("Content-Length: 99999999"), new byte[1 << 16]);
      case HUGE_IN_CHUNKS ->
          wire(
              413,
              Wire.post("Transfer-Encoding: chunked") + Integer.toHexString(2 << 20) + "\r\n",
              new byte[2 << 20]);
      case TOO_MANY_PIXELS -> expect(post("", large(picture), "image/png"), 413);
      case WRONG_TYPE ->
          expect(post("", "<svg/>".getBytes(StandardCharsets.UTF_8), "image/png"), 415);
      case CUT_OFF -> {
        try (Wire wire = new Wire(server.address())) {
          wire.send(Wire.post("Content-Length: " + picture.length));
          wire.send(Arrays.copyOf(picture, picture.length / 2));
        }
      }
      default -> throw new AssertionError(mischief);
    }
  }

  /** A picture that claims more pixels than it has. */
  private static byte[] large(byte[] picture) {
    byte[] large = picture.clone();
    large[18] = 0x27; // the width of a PNG file, 16 … 19, highest byte first
    large[22] = 0x27;
    return large;
  }

  /** Sends as much as the server takes. */
  private void wire(int status, String head, byte[] body) throws IOException {
    try (Wire wire = new Wire(server.address())) {
      try {
        wire.send(head).send(body);
      } catch (IOException e) {
        // The server hung up early; its answer is on the way all the same.
      }
      expect(wire.rest(), status);
    }
  }

  private static void expect(String answer, int status) {
    assertThat(answer).startsWith("HTTP/1.1 " + status + " ");
    assertClean(answer.substring(answer.indexOf("\r\n\r\n") + 4));
  }

  private static void expect(HttpResponse<String> answer, int status) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    assertClean(answer.body());
  }

  private static void assertClean(String body) {
    assertThat(body).startsWith("{\"error\":\"").endsWith("\"}");
    assertThat(body.lines()).hasSize(1);
    assertThat(body).doesNotContain("Exception").doesNotContain("io.github");
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(
        URI.create("http://localhost:" + server.address().getPort() + path));
  }

  private HttpResponse<String> get(String path) throws Exception {
    return http.send(request(path).build(), BodyHandlers.ofString());
  }

  private HttpResponse<String> post(String query, byte[] body, String type) throws Exception {
    return http.send(
        request("/v1/predict" + query)
            .header("Content-Type", type)
            .POST(BodyPublishers.ofByteArray(body))
            .build(),
        BodyHandlers.ofString());
  }
}
