/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.spd4j.predictions.ImageClassifier;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
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
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A real client over real sockets. */
class ImageServerTest {

  private static final String TOKEN = "0123456789abcdef";
  private static final Duration LONG = Duration.ofSeconds(60);

  @TempDir private static Path folder;
  private static ImageClassifier classifier;

  private final HttpClient client = HttpClient.newHttpClient();
  private ImageServer server;

  @BeforeAll
  static void loadModel() throws IOException {
    classifier = ImageClassifier.load(TinyModel.write(folder.resolve("model.zip")));
  }

  @AfterEach
  void stop() {
    if (server != null) {
      server.close();
    }
  }

  private void start() {
    start(null, limits(8, LONG));
  }

  private static Limits limits(int requests, Duration time) {
    return new Limits(1 << 20, 1_000_000, requests, 4, time, LONG, LONG);
  }

  private void start(String token, Limits limits) {
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    server = new ImageServer(classifier, any, token, limits);
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(
        URI.create("http://localhost:" + server.address().getPort() + path));
  }

  private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return client.send(request.build(), BodyHandlers.ofString());
  }

  private HttpResponse<String> get(String path) throws Exception {
    return send(request(path));
  }

  private HttpResponse<String> post(byte[] body, String... headers) throws Exception {
    HttpRequest.Builder request = request("/v1/predict").POST(BodyPublishers.ofByteArray(body));
    return send(headers.length == 0 ? request : request.headers(headers));
  }

  private static JsonNode json(String text) throws IOException {
    return new ObjectMapper().readTree(text);
  }

  private static void assertRefused(HttpResponse<String> answer, int status, String reason)
      throws IOException {
    assertThat(answer.statusCode()).isEqualTo(status);
    assertThat(answer.body().lines()).hasSize(1);
    assertThat(answer.body()).doesNotContain("Exception").doesNotContain("\tat ");
    assertThat(json(answer.body()).get("error").asText()).contains(reason);
  }

  private static Map<String, Double> expected(byte[] picture) throws IOException {
    return classifier.classify(new ByteArrayInputStream(picture)).probabilities();
  }

  private static void assertAnswer(HttpResponse<String> answer, byte[] picture) throws IOException {
    assertThat(answer.statusCode()).isEqualTo(200);
    JsonNode body = json(answer.body());
    Map<String, Double> expected = expected(picture);
    assertThat(body.get("label").asText()).isEqualTo(expected.keySet().iterator().next());
    assertThat(body.get("probability").asDouble())
        .isCloseTo(expected.values().iterator().next(), offset(1e-6));
    assertThat(body.get("classes")).hasSize(3);
    int place = 0;
    for (Map.Entry<String, Double> share : expected.entrySet()) {
      JsonNode one = body.get("classes").get(place++);
      assertThat(one.get("label").asText()).isEqualTo(share.getKey());
      assertThat(one.get("probability").asDouble()).isCloseTo(share.getValue(), offset(1e-6));
    }
    assertThat(body.get("milliseconds").asDouble()).isPositive();
  }

  @Test
  void aPictureIsAnsweredLikeTheClassifier() throws Exception {
    start();
    for (int seed = 1; seed <= 3; seed++) {
      byte[] picture = TinyModel.png(seed);
      assertAnswer(post(picture), picture);
      assertAnswer(post(form("image", picture), "Content-Type", FORM), picture);
    }
  }

  private static final String FORM = "multipart/form-data; boundary=limit";

  private static byte[] form(String field, byte[]... pictures) {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    body.writeBytes(
        "--limit\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\nhello\r\n"
            .getBytes(StandardCharsets.UTF_8));
    for (int i = 0; i < pictures.length; i++) {
      body.writeBytes(
          "--limit\r\nContent-Disposition: form-data; name=\"%s\"; filename=\"%s.png\"\r\n\r\n"
              .formatted(field, (char) ('a' + i))
              .getBytes(StandardCharsets.UTF_8));
      body.writeBytes(pictures[i]);
      body.writeBytes("\r\n".getBytes(StandardCharsets.UTF_8));
    }
    body.writeBytes("--limit--\r\n".getBytes(StandardCharsets.UTF_8));
    return body.toByteArray();
  }

  /** More than go through the network together, and some that are none. */
  @ParameterizedTest
  @ValueSource(strings = {"/v1/predict", "/v1/batch"})
  void severalPicturesGetSeveralAnswers(String path) throws Exception {
    start();
    byte[][] pictures = new byte[11][];
    for (int i = 0; i < pictures.length; i++) {
      pictures[i] = TinyModel.png(i);
    }
    pictures[2] = "no picture".getBytes(StandardCharsets.UTF_8);
    pictures[7] = Arrays.copyOf(pictures[7], pictures[7].length / 2);
    pictures[9] = TinyModel.png(1, 1100, 1000);
    HttpRequest.Builder request =
        request(path + "?explain=true")
            .POST(BodyPublishers.ofByteArray(form("image", pictures)))
            .header("Content-Type", FORM);
    HttpResponse<String> response = send(request);
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    JsonNode answers = json(response.body()).get("answers");
    assertThat(answers).hasSize(pictures.length);
    for (int i = 0; i < pictures.length; i++) {
      JsonNode answer = answers.get(i);
      assertThat(answer.get("file").asText()).isEqualTo((char) ('a' + i) + ".png");
      if (i == 2 || i == 7 || i == 9) {
        assertThat(answer.get("error").asText()).isNotBlank();
        assertThat(answer.has("label")).isFalse();
      } else {
        assertThat(answer.get("label").asText())
            .isEqualTo(expected(pictures[i]).keySet().iterator().next());
        assertThat(answer.get("attribution")).isNotEmpty();
      }
    }
  }

  /** What is known of the model says which answers are unsure, or whoever starts the server. */
  @Test
  void answersHaveTheirDoubt() throws Exception {
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    for (double unsureBelow : new double[] {0, 1}) {
      server = new ImageServer(classifier, any, null, limits(8, LONG), unsureBelow);
      JsonNode answer = json(post(TinyModel.png(1)).body());
      assertThat(answer.path("doubt").asText()).isEqualTo(unsureBelow == 0 ? "" : "unsure");
      server.close();
    }
  }

  @Test
  void aBatchOfOneIsAListAndItsLengthHasAnEnd() throws Exception {
    start();
    byte[] picture = TinyModel.png(1);
    HttpRequest.Builder one = request("/v1/batch").POST(BodyPublishers.ofByteArray(picture));
    JsonNode answers = json(send(one).body()).get("answers");
    assertThat(answers).hasSize(1);
    assertThat(answers.get(0).get("label").asText())
        .isEqualTo(expected(picture).keySet().iterator().next());
    byte[][] many = new byte[1001][];
    Arrays.fill(many, new byte[] {1});
    assertRefused(post(form("image", many), "Content-Type", FORM), 413, "1000 pictures");
    assertRefused(post(form("image", picture, new byte[0]), "Content-Type", FORM), 400, "nothing");
  }

  /** What clients are generated from is what the server does. */
  @Test
  void theDescriptionNamesAllThatThereIs() throws Exception {
    start();
    JsonNode description = json(get("/openapi.json").body());
    List<String> paths = new ArrayList<>();
    description.get("paths").fieldNames().forEachRemaining(paths::add);
    assertThat(paths)
        .containsExactly("/v1/predict", "/v1/batch", "/v1/model", "/health", "/metrics");
    JsonNode schemas = description.get("components").get("schemas");
    byte[] picture = TinyModel.png(1);
    HttpRequest.Builder explain =
        request("/v1/predict?explain=true").POST(BodyPublishers.ofByteArray(picture));
    assertFits(json(send(explain).body()), schemas.get("Answer"));
    JsonNode list = json(post(form("image", picture, picture), "Content-Type", FORM).body());
    assertFits(list, schemas.get("Answers"));
    list.get("answers").forEach(answer -> assertFits(answer, schemas.get("Answer")));
    assertFits(json(get("/v1/model").body()), schemas.get("Model"));
    assertFits(json(get("/health").body()), schemas.get("Health"));
    assertFits(json(post(new byte[0]).body()), schemas.get("Error"));
    assertThat(get("/none").body()).contains("/openapi.json", "/v1/batch");
  }

  private static void assertFits(JsonNode value, JsonNode schema) {
    schema.get("required").forEach(name -> assertThat(value.has(name.asText())).isTrue());
    value
        .fieldNames()
        .forEachRemaining(
            name -> {
              JsonNode property = schema.get("properties").get(name);
              assertThat(property).as(name).isNotNull();
              String type = property.get("type").asText();
              JsonNode field = value.get(name);
              boolean fits =
                  switch (type) {
                    case "string" -> field.isTextual();
                    case "number" -> field.isNumber();
                    case "integer" -> field.isIntegralNumber();
                    case "boolean" -> field.isBoolean();
                    case "array" -> field.isArray();
                    default -> field.isObject();
                  };
              assertThat(fits || field.isNull()).as(name + ": " + field).isTrue();
            });
  }

  /** The programs in the documents are run as they are. */
  @ParameterizedTest
  @CsvSource({"sh, sh", "python, python3", "javascript, node"})
  void theExamplesOfTheDocumentsWork(String language, String program) throws Exception {
    assumeTrue(isThere(program), "needs " + program);
    start();
    Path work = Files.createDirectories(folder.resolve(language));
    Files.write(work.resolve("basket.png"), TinyModel.png(1));
    Files.write(work.resolve("leaf.png"), TinyModel.png(2));
    String document =
        Files.readString(Path.of(System.getProperty("spd4j.root"), "docs/serving.md"));
    Matcher code =
        Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL).matcher(document);
    assertThat(code.find()).isTrue();
    String address = "127.0.0.1:" + server.address().getPort();
    Path file =
        Files.writeString(
            work.resolve("client.mjs"), code.group(1).replace("127.0.0.1:8080", address));
    Process client =
        new ProcessBuilder(program, file.toString())
            .directory(work.toFile())
            .redirectErrorStream(true)
            .start();
    String output = new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(client.waitFor()).as(output).isZero();
    for (int seed = 1; seed <= 2; seed++) {
      assertThat(output).contains(expected(TinyModel.png(seed)).keySet().iterator().next());
    }
  }

  private static boolean isThere(String program) {
    return Stream.of(System.getenv("PATH").split(File.pathSeparator))
        .anyMatch(place -> Files.isExecutable(Path.of(place, program)));
  }

  @Test
  void whoAsksLearnsWhatDecided() throws Exception {
    start();
    byte[] picture = TinyModel.png(1);
    HttpRequest.Builder request =
        request("/v1/predict?explain=true").POST(BodyPublishers.ofByteArray(picture));
    HttpResponse<String> answer = send(request);
    assertAnswer(answer, picture);
    assertExplained(answer, picture);
    assertThat(json(post(picture).body()).has("attribution")).isFalse();
    assertRefused(
        send(request("/v1/predict?explain=maybe").POST(BodyPublishers.ofByteArray(picture))),
        400,
        "true or false");
  }

  private static void assertExplained(HttpResponse<String> answer, byte[] picture)
      throws IOException {
    JsonNode rows = json(answer.body()).get("attribution");
    double[][] expected =
        classifier.attribution(
            classifier.prepare(new ByteArrayInputStream(picture)),
            expected(picture).keySet().iterator().next());
    assertThat(rows).hasSize(expected.length);
    for (int y = 0; y < expected.length; y++) {
      for (int x = 0; x < expected[y].length; x++) {
        assertThat(rows.get(y).get(x).asDouble()).isCloseTo(expected[y][x], offset(1e-6));
      }
    }
  }

  @Test
  void aModelThatCannotExplainSaysSo() throws Exception {
    ImageClassifier mute =
        ImageClassifier.load(TinyModel.writeWithoutCut(folder.resolve("mute.zip")));
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    server = new ImageServer(mute, any, null, limits(8, LONG));
    assertThat(json(get("/v1/model").body()).get("explains").asBoolean()).isFalse();
    assertRefused(
        send(
            request("/v1/predict?explain=true").POST(BodyPublishers.ofByteArray(TinyModel.png(1)))),
        422,
        "cannot explain");
  }

  @Test
  void theModelIsDescribed() throws Exception {
    start();
    JsonNode model = json(get("/v1/model").body());
    assertThat(model.get("classes")).hasSize(3);
    assertThat(model.get("classes").get(1).asText()).isEqualTo(TinyModel.CLASSES.get(1));
    assertThat(model.get("size").asInt()).isEqualTo(TinyModel.SIZE);
    assertThat(model.get("backbone").asText()).isEqualTo("tiny");
    assertThat(model.get("method").asText()).isEqualTo("SPD");
    assertThat(model.get("explains").asBoolean()).isTrue();
    assertThat(model.get("limits").get("bytes").asInt()).isEqualTo(1 << 20);
  }

  @Test
  void whatHappenedIsCounted() throws Exception {
    start();
    assertThat(get("/health").body()).isEqualTo("{\"status\":\"ok\"}");
    post(TinyModel.png(1));
    post(new byte[0]);
    get("/none");
    HttpResponse<String> metrics = get("/metrics");
    assertThat(metrics.headers().firstValue("Content-Type").orElse("")).startsWith("text/plain");
    assertThat(metrics.body())
        .contains("spd_requests_total{path=\"/health\",status=\"200\"} 1.0")
        .contains("spd_requests_total{path=\"/v1/predict\",status=\"200\"} 1.0")
        .contains("spd_requests_total{path=\"/v1/predict\",status=\"400\"} 1.0")
        .contains("spd_requests_total{path=\"other\",status=\"404\"} 1.0")
        .contains("spd_predict_seconds_count 1")
        .contains("spd_batch_pictures_sum 1.0")
        .contains("spd_predictions_in_hand 0.0");
  }

  @Test
  void whatIsNoPictureIsRefused() throws Exception {
    start();
    byte[] picture = TinyModel.png(1);
    assertRefused(post(new byte[0]), 400, "got nothing");
    assertRefused(post("no picture".getBytes(StandardCharsets.UTF_8)), 415, "expected JPEG");
    assertRefused(post(Arrays.copyOf(picture, picture.length / 2)), 422, "image");
    assertRefused(post(Arrays.copyOf(picture, 14)), 422, "");
    assertRefused(post(TinyModel.png(1, 1100, 1000)), 413, "at most 1 million pixels");
    assertRefused(post(form("photo", picture), "Content-Type", FORM), 400, "field 'image'");
    assertRefused(post(picture, "Content-Type", FORM), 400, "form");
    assertRefused(
        post(form("image", picture), "Content-Type", "multipart/form-data"), 400, "boundary");
    byte[] form = form("image", picture);
    assertRefused(
        post(Arrays.copyOf(form, form.length - 20), "Content-Type", FORM), 400, "truncated");
    assertAnswer(post(picture), picture);
  }

  @Test
  void aLargeBodyIsAnsweredBeforeItHasArrived() throws Exception {
    start();
    try (Wire wire = new Wire(server.address())) { // one byte too many
      wire.send(Wire.post("Content-Length: " + ((1 << 20) + 1)));
      assertThat(wire.rest()).startsWith("HTTP/1.1 413 ").contains("at most 1 MB");
    }
    try (Wire wire = new Wire(server.address())) {
      wire.send(Wire.post("Content-Length: 2147483647")).send(new byte[1 << 16]);
      assertThat(wire.rest()).startsWith("HTTP/1.1 413 ").contains("Connection: close");
    }
    try (Wire wire = new Wire(server.address())) {
      wire.send(Wire.post("Content-Length: 99999999999")).send(new byte[1 << 16]);
      assertThat(wire.rest()).startsWith("HTTP/1.1 413 ");
    }
    try (Wire wire = new Wire(server.address())) {
      wire.send(Wire.post("Transfer-Encoding: chunked"));
      String chunk = Integer.toHexString(1 << 16) + "\r\n" + "x".repeat(1 << 16) + "\r\n";
      for (int i = 0; i < 17; i++) { // and no end
        wire.send(chunk);
      }
      assertThat(wire.rest()).startsWith("HTTP/1.1 413 ");
    }
    awaitIdle();
  }

  @Test
  void aLargePictureWithinTheLimitIsTaken() throws Exception {
    start(null, new Limits(16 << 20, 10_000_000, 8, 4, LONG, LONG, LONG));
    byte[] picture = Arrays.copyOf(TinyModel.png(1), 5 << 20); // PNG ends where it says
    assertAnswer(post(picture), picture);
    HttpRequest.Builder chunked =
        request("/v1/predict")
            .POST(BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(picture)));
    assertAnswer(send(chunked), picture);
    assertAnswer(send(chunked.expectContinue(true)), picture);
  }

  /** The model is at fault, and neither the server nor the client. */
  @Test
  void numbersThatAreNotFiniteAreNoDefect() throws Exception {
    ImageClassifier overflowing =
        ImageClassifier.load(TinyModel.writeOverflowing(folder.resolve("large.zip")));
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    server = new ImageServer(overflowing, any, null, limits(8, LONG));
    for (String query : List.of("", "?explain=true")) {
      HttpRequest.Builder request =
          request("/v1/predict" + query).POST(BodyPublishers.ofByteArray(TinyModel.png(1)));
      assertRefused(send(request), 422, "no finite numbers");
    }
  }

  @Test
  void pathsAndMethodsThatAreNotThereAreNamed() throws Exception {
    start();
    assertRefused(get("/v2/predict"), 404, "/v1/predict");
    HttpResponse<String> answer = get("/v1/predict");
    assertRefused(answer, 405, "POST");
    assertThat(answer.headers().firstValue("Allow")).contains("POST");
    assertRefused(send(request("/health").DELETE()), 405, "GET");
    assertThat(send(request("/").method("HEAD", BodyPublishers.noBody())).statusCode())
        .isEqualTo(200);
  }

  @Test
  void aServerThatIsBusySendsAway() throws Exception {
    start(null, limits(1, LONG));
    byte[] picture = TinyModel.png(1);
    try (Wire slow = new Wire(server.address())) {
      slow.send(Wire.post("Content-Length: " + picture.length, "Connection: close"));
      slow.send(Arrays.copyOf(picture, 10));
      await("spd_predictions_in_hand 1.0");
      HttpResponse<String> answer = post(picture);
      assertRefused(answer, 503, "too many");
      assertThat(answer.headers().firstValue("Retry-After")).isPresent();
      assertThat(get("/health").statusCode()).isEqualTo(200);
      slow.send(Arrays.copyOfRange(picture, 10, picture.length));
      assertThat(slow.rest()).startsWith("HTTP/1.1 200 ");
    }
    awaitIdle();
    assertAnswer(post(picture), picture);
  }

  private void awaitIdle() throws Exception {
    await("spd_predictions_in_hand 0.0");
  }

  private void await(String line) throws Exception {
    long end = System.nanoTime() + LONG.toNanos();
    while (!get("/metrics").body().contains(line)) {
      assertThat(System.nanoTime()).as(line).isLessThan(end);
      Thread.onSpinWait();
    }
  }

  @Test
  void whoCutsTheLineLeavesNothingBehind() throws Exception {
    start(null, limits(2, LONG));
    byte[] picture = TinyModel.png(1);
    for (int i = 0; i < 6; i++) {
      try (Wire wire = new Wire(server.address())) {
        wire.send(Wire.post("Content-Length: " + picture.length));
        wire.send(Arrays.copyOf(picture, i * 10));
        await("spd_predictions_in_hand 1.0");
      }
      awaitIdle();
    }
    CountDownLatch open = new CountDownLatch(1);
    block(open);
    for (int i = 0; i < 2; i++) { // all is sent, and nobody waits for the answer
      try (Wire wire = new Wire(server.address())) {
        wire.send(Wire.post("Content-Length: " + picture.length)).send(picture);
        await("spd_predictions_in_hand " + (i + 1) + ".0");
      }
    }
    open.countDown();
    awaitIdle();
    assertAnswer(post(picture), picture);
  }

  @Test
  void whoSendsTooSlowlyIsTold() throws Exception {
    start(null, limits(8, Duration.ofMillis(300)));
    try (Wire wire = new Wire(server.address())) {
      wire.send(Wire.post("Content-Length: 1000")).send(new byte[10]);
      assertThat(wire.rest())
          .startsWith("HTTP/1.1 408 ")
          .contains("Connection: close")
          .contains("{\"error\":\"the request did not arrive in time");
    }
    try (Wire wire = new Wire(server.address())) { // to a path that reads no body
      wire.send("GET /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n");
      assertThat(wire.rest()).startsWith("HTTP/1.1 200 ");
    }
    awaitIdle();
  }

  /** It asks for more than fits between the two, and takes nothing of it. */
  @Test
  void whoReadsNothingIsLeftAlone() throws Exception {
    start(null, limits(8, Duration.ofMillis(300)));
    byte[] many =
        "GET /page.js HTTP/1.1\r\nHost: localhost\r\n\r\n"
            .repeat(3000)
            .getBytes(StandardCharsets.US_ASCII);
    try (Wire wire = new Wire(server.address())) {
      wire.send(many);
      long end = System.nanoTime() + LONG.toNanos();
      while (isConnected(wire)) {
        assertThat(System.nanoTime()).as("the server hangs up").isLessThan(end);
        Thread.sleep(100);
      }
    }
  }

  private static boolean isConnected(Wire wire) {
    try {
      wire.send(new byte[] {'\r'});
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** Keeps the network busy until it is opened. */
  private CompletableFuture<PredictionQueue.Answer> block(CountDownLatch open) throws Exception {
    CountDownLatch busy = new CountDownLatch(1);
    CompletableFuture<PredictionQueue.Answer> answer =
        server
            .queue()
            .submit(
                classifier.prepare(new ByteArrayInputStream(TinyModel.png(9))),
                false,
                () -> {
                  busy.countDown();
                  awaitLatch(open);
                  return true;
                });
    awaitLatch(busy);
    return answer;
  }

  private static void awaitLatch(CountDownLatch latch) {
    try {
      assertThat(latch.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void whoWaitsTooLongIsTold() throws Exception {
    start(null, limits(8, Duration.ofMillis(500)));
    CountDownLatch open = new CountDownLatch(1);
    CompletableFuture<PredictionQueue.Answer> first = block(open);
    assertRefused(post(TinyModel.png(1)), 504, "no answer in time");
    open.countDown();
    first.get(LONG.toSeconds(), TimeUnit.SECONDS);
    awaitIdle();
    assertThat(get("/metrics").body()).contains("spd_batch_pictures_sum 1.0"); // not the other
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatWaitsGoesThroughTheNetworkTogether(boolean explained) throws Exception {
    start(null, new Limits(1 << 20, 1_000_000, 16, 8, LONG, LONG, LONG));
    CountDownLatch open = new CountDownLatch(1);
    block(open);
    CompletableFuture<?>[] answers = new CompletableFuture<?>[6];
    for (int i = 0; i < answers.length; i++) {
      byte[] picture = TinyModel.png(i);
      HttpRequest request =
          request("/v1/predict?explain=" + explained)
              .POST(BodyPublishers.ofByteArray(picture))
              .build();
      answers[i] =
          client
              .sendAsync(request, BodyHandlers.ofString())
              .thenAccept(
                  answer -> {
                    try {
                      assertAnswer(answer, picture);
                      if (explained) {
                        assertExplained(answer, picture);
                      }
                    } catch (IOException e) {
                      throw new AssertionError(e);
                    }
                  });
    }
    await("spd_predictions_in_hand 6.0");
    long end = System.nanoTime() + LONG.toNanos();
    while (server.queue().waiting() < 6) {
      assertThat(System.nanoTime()).isLessThan(end);
      Thread.onSpinWait();
    }
    open.countDown();
    CompletableFuture.allOf(answers).get(LONG.toSeconds(), TimeUnit.SECONDS);
    assertThat(get("/metrics").body())
        .contains("spd_batch_pictures_count 2")
        .contains("spd_batch_pictures_sum 7.0");
  }

  @Test
  void whatIsInHandIsFinishedBeforeItStops() throws Exception {
    start();
    CountDownLatch open = new CountDownLatch(1);
    block(open);
    byte[] picture = TinyModel.png(3);
    CompletableFuture<HttpResponse<String>> inHand =
        client.sendAsync(
            request("/v1/predict").POST(BodyPublishers.ofByteArray(picture)).build(),
            BodyHandlers.ofString());
    await("spd_predictions_in_hand 1.0");
    CompletableFuture<Void> stopped = CompletableFuture.runAsync(server::close);
    long end = System.nanoTime() + LONG.toNanos();
    while (get("/health").statusCode() != 503) {
      assertThat(System.nanoTime()).isLessThan(end);
    }
    assertRefused(post(picture), 503, "stopping");
    assertThat(stopped).isNotDone();
    open.countDown();
    assertAnswer(inHand.get(LONG.toSeconds(), TimeUnit.SECONDS), picture);
    stopped.get(LONG.toSeconds(), TimeUnit.SECONDS);
  }

  @Test
  void withATokenNobodyElseGetsAnAnswer() throws Exception {
    start(TOKEN, limits(8, LONG));
    byte[] picture = TinyModel.png(1);
    String[] none = {
      "Bearer 0123456789abcdeg",
      "Bearer 0",
      "Bearer 0123456789abcde",
      "Bearer " + TOKEN + "0",
      "Bearer ",
      "Bearer",
      "Basic " + TOKEN,
      TOKEN
    };
    for (String wrong : none) {
      HttpResponse<String> answer = post(picture, "Authorization", wrong);
      assertRefused(answer, 401, "Bearer");
      assertThat(answer.headers().firstValue("WWW-Authenticate")).contains("Bearer");
    }
    assertRefused(post(picture), 401, "Bearer");
    assertRefused(get("/v1/model"), 401, "Bearer");
    assertRefused(get("/metrics"), 401, "Bearer");
    assertRefused(get("/none"), 401, "Bearer");
    assertThat(get("/health").statusCode()).isEqualTo(200);
    assertThat(get("/").statusCode()).isEqualTo(200);
    assertAnswer(post(picture, "Authorization", "Bearer " + TOKEN), picture);
    assertAnswer(
        post(picture, "Authorization", "bearer " + TOKEN, "Origin", "https://proxy.example"),
        picture);
  }

  @ParameterizedTest
  @CsvSource({
    "evil.example, , 421",
    "evil.example:8080, http://evil.example:8080, 421",
    "localhost.evil.example, , 421",
    "localhost:8080, http://evil.example, 403",
    "localhost:8080, null, 403",
    "localhost:8080, http://localhost:8081, 403",
    "localhost:8080, https://localhost:8080, 403",
    "localhost, http://localhost.evil.example, 403",
    "localhost, http://localhost:8080, 403",
    "localhost:8080, http://localhost:80808, 403",
    "localhost:8080, http://localhost, 403",
    "localhost:8080, http://localhost:8080, 200",
    "LOCALHOST, http://localhost, 200",
    "127.0.0.1:8080, , 200",
    "127.0.0.2, , 200",
    "127.0.0.2.evil.example, , 421",
    "127.0.0.2x, , 421",
    "192.0.2.1, , 421",
    "[::1]:8080, , 200"
  })
  void pagesOfOtherSitesMayNotAsk(String host, String origin, int status) throws Exception {
    start();
    try (Wire wire = new Wire(server.address())) {
      wire.send(
          "GET /v1/model HTTP/1.1\r\nHost: "
              + host
              + (origin == null ? "" : "\r\nOrigin: " + origin)
              + "\r\nConnection: close\r\n\r\n");
      assertThat(wire.rest())
          .startsWith("HTTP/1.1 " + status + " ")
          .doesNotContain("Access-Control-Allow");
    }
  }

  @Test
  void everyAddressOfThisMachineAnswers() throws Exception {
    InetAddress address = InetAddress.getByName("127.0.0.2");
    assumeTrue(address.isReachable(1000), "only Linux has it without being told");
    server = new ImageServer(classifier, new InetSocketAddress(address, 0), null, limits(8, LONG));
    URI uri = URI.create("http://127.0.0.2:" + server.address().getPort() + "/v1/predict");
    byte[] picture = TinyModel.png(1);
    assertAnswer(
        send(HttpRequest.newBuilder(uri).POST(BodyPublishers.ofByteArray(picture))), picture);
  }

  @Test
  void largePicturesDelayNobodyElse() throws Exception {
    start(null, new Limits(16 << 20, 40_000_000, 16, 4, LONG, LONG, LONG));
    byte[] picture = TinyModel.png(1);
    byte[] large = largeGif();
    List<CompletableFuture<HttpResponse<String>>> others = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      HttpRequest.Builder request = request("/v1/predict").POST(BodyPublishers.ofByteArray(large));
      others.add(client.sendAsync(request.build(), BodyHandlers.ofString()));
    }
    await("spd_predictions_in_hand 4.0");
    assertAnswer(post(picture), picture);
    assertThat(others).anyMatch(other -> !other.isDone());
    for (CompletableFuture<HttpResponse<String>> other : others) {
      assertThat(other.get(LONG.toSeconds(), TimeUnit.SECONDS).statusCode()).isEqualTo(200);
    }
  }

  @Test
  void decodingHasAnEnd() throws Exception {
    Duration little = Duration.ofMillis(50);
    start(null, new Limits(16 << 20, 40_000_000, 16, 4, LONG, little, LONG));
    byte[] large = largeGif();
    long start = System.nanoTime();
    for (int i = 0; i < 4; i++) {
      assertRefused(post(large), 422, "too long to decode");
    }
    assertThat((System.nanoTime() - start) / 1e9).isLessThan(seconds(large));
    awaitIdle();
    byte[] picture = TinyModel.png(1);
    assertAnswer(post(picture), picture);
  }

  /** How long four such pictures take if nobody ends them. */
  private static double seconds(byte[] picture) throws IOException {
    long start = System.nanoTime();
    for (int i = 0; i < 4; i++) {
      classifier.classify(new ByteArrayInputStream(picture));
    }
    return (System.nanoTime() - start) / 1e9;
  }

  /** A picture that takes long to decode. */
  private static byte[] largeGif() throws IOException {
    BufferedImage picture = new BufferedImage(3000, 3000, BufferedImage.TYPE_BYTE_INDEXED);
    for (int i = 0; i < 3000; i++) {
      picture.setRGB(i, i, i);
    }
    ByteArrayOutputStream gif = new ByteArrayOutputStream();
    ImageIO.write(picture, "gif", gif);
    return gif.toByteArray();
  }

  @Test
  void browsersAreToldToTrustNobodyElse() throws Exception {
    start();
    for (String path : new String[] {"/", "/page.js", "/page.css", "/v1/model", "/none"}) {
      HttpResponse<String> answer = get(path);
      assertThat(answer.headers().firstValue("Content-Security-Policy").orElse(""))
          .contains("default-src 'none'")
          .contains("frame-ancestors 'none'");
      assertThat(answer.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
      assertThat(answer.headers().firstValue("Server")).isEmpty();
      assertThat(answer.body().replace("http://www.w3.org/", ""))
          .doesNotContain("http://")
          .doesNotContain("https://");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "'\u0000\u0001\u0002\u00ff\u00fe\r\n\r\n'",
    "'GET /health HTTP/9.9\r\n\r\n'",
    "'POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n'",
    "'POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: five\r\n\r\n'",
    "'POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'",
    "'GET / HTTP/1.1\r\nHost: localhost\r\nNo colon\r\n\r\n'"
  })
  void garbageIsAnsweredOrCutOffAndHurtsNobody(String garbage) throws Exception {
    start(null, limits(8, Duration.ofSeconds(2)));
    try (Wire wire = new Wire(server.address())) {
      wire.send(garbage);
      assertThat(wire.rest()).doesNotContain("Exception").doesNotContain("\tat ");
    }
    awaitIdle();
    byte[] picture = TinyModel.png(1);
    assertAnswer(post(picture), picture);
  }

  @Test
  void headersHaveAnEnd() throws Exception {
    start();
    try (Wire wire = new Wire(server.address())) {
      try {
        wire.send("GET /health HTTP/1.1\r\nHost: localhost\r\nX-Long: " + "x".repeat(1 << 18));
      } catch (IOException e) {
        // Cut off while it was still sending.
      }
      assertThat(wire.rest()).doesNotContain("200 OK");
    }
    assertThat(get("/health").statusCode()).isEqualTo(200);
  }
}
