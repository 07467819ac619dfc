/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.spd4j.predictions.ImageClassifier;
import io.github.spd4j.testing.Generator;
import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests of random parts: whatever a client sends, the answer is never 500. */
class RequestFuzzTest {

  private static final Set<Integer> ANSWERS = Set.of(200, 400, 413, 415, 422);

  private static final List<String> TYPES =
      List.of(
          "multipart/form-data",
          "multipart/form-data;",
          "multipart/form-data; boundary",
          "multipart/form-data; boundary=",
          "multipart/form-data; boundary= ",
          "multipart/form-data; boundary=\"",
          "multipart/form-data; boundary=\"\"",
          "multipart/form-data; boundary=;",
          "multipart/form-data; boundary=x",
          "multipart/form-data; boundary=\"x",
          "multipart/form-data; boundary=\"x\"; charset=none",
          "multipart/form-data; boundary=--",
          "multipart/form-data; boundary=" + "x".repeat(5000),
          "multipart/form-data; charset=\"; boundary=x",
          "Multipart/Form-Data; BOUNDARY=x",
          "image/png",
          "image/png; boundary=",
          "x");

  private static final List<String> DISPOSITIONS =
      List.of(
          "",
          "Content-Disposition:",
          "Content-Disposition: form-data",
          "Content-Disposition: form-data; name",
          "Content-Disposition: form-data; name=",
          "Content-Disposition: form-data; name=\"",
          "Content-Disposition: form-data; name=\"image",
          "Content-Disposition: form-data; name=image",
          "Content-Disposition: form-data; name=\"image\"",
          "Content-Disposition: form-data; name=\"image\"\r\nContent-Transfer-Encoding: base64",
          "Content-Disposition: form-data; name=\"image\"\r\nContent-Transfer-Encoding: none",
          "Content-Disposition: form-data; name=\"image\"\r\n"
              + "Content-Transfer-Encoding: quoted-printable",
          ":",
          "no colon");

  private static final List<String> QUERIES =
      List.of(
          "", "?", "?explain", "?explain=", "?explain=true", "?explain=1", "?&&=&explain=false");

  private static final List<String> PATHS = List.of("/v1/predict", "/v1/batch");

  @TempDir private Path folder;
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private ImageServer server;

  @BeforeEach
  void start() throws Exception {
    ImageClassifier classifier = ImageClassifier.load(TinyModel.write(folder.resolve("model.zip")));
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    Duration time = Duration.ofSeconds(20);
    server =
        new ImageServer(
            classifier, any, null, new Limits(1 << 20, 1_000_000, 8, 4, time, time, time));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private int status(String path, String type, byte[] body) throws Exception {
    URI uri = URI.create("http://localhost:" + server.address().getPort() + path);
    HttpRequest.Builder request = HttpRequest.newBuilder(uri).header("Content-Type", type);
    return client
        .send(request.POST(BodyPublishers.ofByteArray(body)).build(), BodyHandlers.ofString())
        .statusCode();
  }

  @ParameterizedTest
  @ValueSource(strings = {"boundary=", "boundary=\"\"", "boundary=\"", "boundary", "boundary= ;"})
  void aFormWithoutABoundaryIsTheClientsMistake(String boundary) throws Exception {
    for (String path : PATHS) {
      assertThat(status(path, "multipart/form-data; " + boundary, TinyModel.png(1))).isEqualTo(400);
    }
  }

  @Test
  void noRequestIsAnsweredWith500() {
    Generator.REQUESTS.each(
        seed -> {
          Random random = new Random(seed);
          String path = any(PATHS, random) + any(QUERIES, random);
          String type = any(TYPES, random);
          assertThat(status(path, type, body(random))).as("%s, %s", path, type).isIn(ANSWERS);
        });
  }

  private static <T> T any(List<T> choices, Random random) {
    return choices.get(random.nextInt(choices.size()));
  }

  /** A picture or a form, whole, cut off or with wrong bytes. */
  private static byte[] body(Random random) {
    byte[] body = random.nextBoolean() ? TinyModel.png(random.nextInt(5)) : form(random);
    if (random.nextInt(3) == 0) {
      body = Arrays.copyOf(body, random.nextInt(body.length + 1));
    }
    if (body.length > 0 && random.nextInt(3) == 0) {
      int wrong = 1 + random.nextInt(4);
      for (int i = 0; i < wrong; i++) {
        body[random.nextInt(Math.min(200, body.length))] = (byte) random.nextInt();
      }
    }
    return body;
  }

  private static byte[] form(Random random) {
    ByteArrayOutputStream form = new ByteArrayOutputStream();
    int parts = random.nextInt(3);
    for (int i = 0; i <= parts; i++) {
      form.writeBytes(latin("--x\r\n" + any(DISPOSITIONS, random) + "\r\n\r\n"));
      form.writeBytes(random.nextBoolean() ? TinyModel.png(random.nextInt(5)) : latin("text"));
      form.writeBytes(latin("\r\n"));
    }
    form.writeBytes(latin(any(List.of("--x--\r\n", "--x--", "--x", ""), random)));
    return form.toByteArray();
  }

  private static byte[] latin(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }
}
