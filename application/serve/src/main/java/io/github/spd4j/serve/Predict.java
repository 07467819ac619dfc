/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.serve;

import io.github.spd4j.images.Pixels;
import io.github.spd4j.predictions.ImageClassifier;
import io.github.spd4j.predictions.PreparedImage;
import io.undertow.io.Receiver;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.Headers;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code POST /v1/predict}: receives a picture without holding a thread, decodes it on one of a few
 * threads, and waits for the network without holding one either.
 */
final class Predict implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Predict.class);

  private final ImageClassifier classifier;
  private final Limits limits;
  private final Metrics metrics;
  private final PredictionQueue queue;
  private final Semaphore places;
  private volatile boolean stopping;

  Predict(ImageClassifier classifier, Limits limits) {
    this.classifier = classifier;
    this.limits = limits;
    this.places = new Semaphore(limits.requests());
    this.metrics = new Metrics(() -> limits.requests() - places.availablePermits());
    this.queue = new PredictionQueue(classifier, limits.batch(), metrics::batch);
  }

  Metrics metrics() {
    return metrics;
  }

  PredictionQueue queue() {
    return queue;
  }

  boolean isStopping() {
    return stopping;
  }

  /** Refuses whatever comes, and waits for what is in hand. */
  void drain(Duration grace) throws InterruptedException {
    stopping = true;
    if (places.tryAcquire(limits.requests(), grace.toMillis(), TimeUnit.MILLISECONDS)) {
      places.release(limits.requests());
    }
  }

  @Override
  public void close() {
    queue.close();
  }

  void handle(Call call) {
    if (stopping) {
      busy(call, "the server is stopping");
      return;
    }
    if (!places.tryAcquire()) {
      busy(call, "too many requests at a time; try again");
      return;
    }
    call.atTheEnd(places::release);
    if (call.exchange().getRequestContentLength() > limits.bytes()) {
      tooLarge(call); // before memory is taken for it
      return;
    }
    Receiver receiver = call.exchange().getRequestReceiver();
    receiver.setMaxBufferSize((int) limits.bytes());
    receiver.receiveFullBytes(
        (exchange, body) -> exchange.dispatch(() -> decode(call, body)),
        (exchange, failure) -> {
          if (failure instanceof Receiver.RequestToLargeException) {
            tooLarge(call);
          } else {
            call.hangUp(); // the client is gone
          }
        });
  }

  private void tooLarge(Call call) {
    call.fail(413, "expected at most " + (limits.bytes() >> 20) + " MB, got more");
  }

  private static void busy(Call call, String line) {
    call.exchange().getResponseHeaders().put(Headers.RETRY_AFTER, "1");
    call.fail(503, line);
  }

  /** On a thread for decoding. */
  private void decode(Call call, byte[] body) {
    try {
      long start = System.nanoTime();
      HttpServerExchange exchange = call.exchange();
      boolean explain = explains(exchange);
      String type = exchange.getRequestHeaders().getFirst(Headers.CONTENT_TYPE);
      byte[] picture = Upload.picture(type, body, exchange.getConnection().getByteBufferPool());
      PreparedImage image = prepare(picture);
      queue
          .submit(image, explain, call::isOpen)
          .whenComplete(
              (answer, failure) -> {
                if (failure == null) {
                  double seconds = (System.nanoTime() - start) / 1e9;
                  metrics.answered(seconds);
                  call.json(200, json(answer, seconds));
                } else {
                  broken(call, failure);
                }
              });
    } catch (Refused e) {
      call.fail(e.status, e.getMessage());
    } catch (IOException e) {
      call.fail(400, e.getMessage());
    } catch (RuntimeException | Error e) {
      broken(call, e);
    }
  }

  /** The client learns that it was not its fault, the log why. */
  private static void broken(Call call, Throwable failure) {
    LOG.error("A prediction failed: {}", String.valueOf(failure), failure);
    call.fail(500, "the prediction failed; the server's log says why");
  }

  private boolean explains(HttpServerExchange exchange) throws IOException {
    Deque<String> values = exchange.getQueryParameters().get("explain");
    String value = values == null ? "false" : values.getFirst();
    if (!value.equals("true") && !value.equals("false")) {
      throw new IOException("explain: expected true or false, got another value");
    }
    boolean explain = value.equals("true");
    if (explain && !classifier.explains()) {
      throw new Refused(422, "this model cannot explain: it does not say where its backbone ends");
    }
    return explain;
  }

  /** What is wrong with a picture. */
  private static final class Refused extends IOException {

    private static final long serialVersionUID = 1L;

    private final int status;

    Refused(int status, String line) {
      super(line);
      this.status = status;
    }
  }

  private PreparedImage prepare(byte[] picture) throws IOException {
    if (!Pixels.isImage(picture)) {
      throw new Refused(415, problem(picture));
    }
    try {
      long pixels = Pixels.count(picture);
      if (pixels > limits.pixels()) {
        throw new Refused(
            413,
            String.format(
                "expected at most %d million pixels, got %d million",
                limits.pixels() / 1_000_000, pixels / 1_000_000));
      }
      return classifier.prepare(new ByteArrayInputStream(picture));
    } catch (Refused e) {
      throw e;
    } catch (IOException e) {
      throw new Refused(422, e.getMessage());
    }
  }

  /** Why it cannot be read, in the words of the decoder. */
  private static String problem(byte[] picture) {
    try {
      Pixels.count(picture);
      return "no known image format";
    } catch (IOException e) {
      return e.getMessage();
    }
  }

  private static Map<String, Object> json(PredictionQueue.Answer answer, double seconds) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("label", answer.classification().label());
    fields.put("probability", answer.classification().probability());
    List<Map<String, Object>> classes = new ArrayList<>();
    answer
        .classification()
        .probabilities()
        .forEach(
            (label, probability) -> {
              Map<String, Object> one = new LinkedHashMap<>();
              one.put("label", label);
              one.put("probability", probability);
              classes.add(one);
            });
    fields.put("classes", classes);
    fields.put("milliseconds", Math.round(1e4 * seconds) / 10.0);
    if (answer.attribution() != null) {
      fields.put("attribution", answer.attribution());
    }
    return fields;
  }
}
