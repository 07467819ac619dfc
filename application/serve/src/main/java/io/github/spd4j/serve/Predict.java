/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.serve;

import io.github.spd4j.images.Pixels;
import io.github.spd4j.linalg.NotFiniteException;
import io.github.spd4j.predictions.ImageClassifier;
import io.github.spd4j.predictions.PreparedImage;
import io.undertow.io.Receiver;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.Headers;
import io.undertow.util.SameThreadExecutor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.xnio.XnioExecutor;

/**
 * {@code POST /v1/predict} and {@code /v1/batch}: receives pictures without holding a thread,
 * decodes them on one of a few threads, and waits for the network without holding one either.
 */
final class Predict implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Predict.class);

  /** How long the last answers may take on their way out. */
  private static final Duration LEAVING = Duration.ofMillis(500);

  /** In a request; each has an answer in memory. */
  private static final int MOST_PICTURES = 1000;

  private static final String NOT_FINITE = "the model gives no finite numbers for this picture";

  private final ImageClassifier classifier;
  private final Limits limits;
  private final double unsureBelow;
  private final Metrics metrics;
  private final PredictionQueue queue;
  private final Decoders decoders = new Decoders();
  private final Semaphore places;
  private final Set<Call> inHand = ConcurrentHashMap.newKeySet();
  private volatile boolean stopping;

  Predict(ImageClassifier classifier, Limits limits, double unsureBelow) {
    this.classifier = classifier;
    this.limits = limits;
    this.unsureBelow = unsureBelow;
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

  /** Refuses whatever comes, waits for what is in hand, and then refuses that too. */
  void drain(Duration grace) throws InterruptedException {
    stopping = true;
    if (!await(grace)) {
      inHand.forEach(call -> call.exchange().getIoThread().execute(() -> refuse(call)));
      await(LEAVING);
    }
  }

  /** Whether nothing is in hand after some time, or before. */
  private boolean await(Duration time) throws InterruptedException {
    boolean idle = places.tryAcquire(limits.requests(), time.toMillis(), TimeUnit.MILLISECONDS);
    if (idle) {
      places.release(limits.requests());
    }
    return idle;
  }

  @Override
  public void close() {
    decoders.close();
    queue.close();
  }

  /**
   * Answers with what the model says of pictures.
   *
   * @param call the request
   * @param list whether the answer is a list even if there is one picture
   */
  void handle(Call call, boolean list) {
    if (stopping) {
      refuse(call);
      return;
    }
    if (!places.tryAcquire()) {
      busy(call, "too many requests at a time; try again");
      return;
    }
    inHand.add(call);
    call.atTheEnd(
        () -> {
          inHand.remove(call);
          places.release();
        });
    if (call.exchange().getRequestContentLength() > limits.bytes()) {
      tooLarge(call); // before memory is taken for it
      return;
    }
    Receiver receiver = call.exchange().getRequestReceiver();
    receiver.setMaxBufferSize((int) limits.bytes());
    receiver.receiveFullBytes(
        (exchange, body) ->
            exchange.dispatch(
                SameThreadExecutor.INSTANCE, // when nothing of the server's is under way
                () -> submit(call, decoders::submit, () -> read(call, body, list))),
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

  /** Hands a call to another thread, until it is over. */
  private void submit(Call call, Function<Runnable, Future<?>> threads, Action action) {
    try {
      Future<?> future = threads.apply(() -> answer(call, action));
      call.atTheEnd(() -> future.cancel(true));
    } catch (RejectedExecutionException e) {
      refuse(call);
    }
  }

  /** What may refuse a request. */
  private interface Action {
    void run() throws IOException;
  }

  private void answer(Call call, Action action) {
    if (!call.isOpen()) {
      return;
    }
    try {
      action.run();
    } catch (Refused e) {
      call.fail(e.status, e.getMessage());
    } catch (IOException e) {
      call.fail(400, e.getMessage());
    } catch (RuntimeException | Error e) {
      broken(call, e);
    }
  }

  private void read(Call call, byte[] body, boolean list) throws IOException {
    HttpServerExchange exchange = call.exchange();
    boolean explain = explains(exchange);
    String type = exchange.getRequestHeaders().getFirst(Headers.CONTENT_TYPE);
    List<Upload.Picture> pictures =
        Upload.pictures(type, body, exchange.getConnection().getByteBufferPool());
    if (pictures.size() > MOST_PICTURES) {
      throw new Refused(413, "expected at most %d pictures, got more".formatted(MOST_PICTURES));
    }
    new Work(call, pictures, explain, list || pictures.size() > 1).go();
  }

  /** The pictures of a request; as many of them are decoded at a time as go through together. */
  private final class Work {

    private final Call call;
    private final List<Upload.Picture> pictures;
    private final boolean explain;
    private final boolean list;
    private final List<Map<String, Object>> answers = new ArrayList<>();
    private final long start = System.nanoTime();

    Work(Call call, List<Upload.Picture> pictures, boolean explain, boolean list) {
      this.call = call;
      this.pictures = pictures;
      this.explain = explain;
      this.list = list;
    }

    private List<Upload.Picture> next() {
      int end = Math.min(pictures.size(), answers.size() + limits.batch());
      return pictures.subList(answers.size(), end);
    }

    /** Goes on with the next pictures; on the thread for large ones, if one of them is. */
    void go() throws IOException {
      boolean large = false;
      for (Upload.Picture picture : next()) {
        try {
          large |= pixels(picture.bytes()) > Decoders.LARGE;
        } catch (Refused e) {
          if (!list) {
            throw e;
          }
        }
      }
      if (large) {
        submit(call, decoders::submitLarge, this::decode);
      } else {
        decode();
      }
    }

    private void decode() throws IOException {
      List<CompletableFuture<Map<String, Object>>> some = new ArrayList<>();
      for (Upload.Picture picture : next()) {
        some.add(answer(picture));
      }
      CompletableFuture.allOf(some.toArray(CompletableFuture[]::new))
          .whenComplete(
              (done, failure) -> {
                if (failure != null) {
                  broken(
                      call, failure instanceof CompletionException ? failure.getCause() : failure);
                } else {
                  some.forEach(one -> answers.add(one.join()));
                  finish();
                }
              });
    }

    /** On the thread of the network, which others wait for. */
    private void finish() {
      if (answers.size() < pictures.size()) {
        submit(call, decoders::submit, this::go);
      } else if (list) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("answers", answers);
        all.put("milliseconds", milliseconds(seconds()));
        call.json(200, all);
      } else {
        call.json(200, answers.get(0));
      }
    }

    private double seconds() {
      return (System.nanoTime() - start) / 1e9;
    }

    private CompletableFuture<Map<String, Object>> answer(Upload.Picture picture)
        throws IOException {
      Map<String, Object> fields = new LinkedHashMap<>();
      if (list && picture.file() != null) {
        fields.put("file", picture.file());
      }
      try {
        return queue
            .submit(prepare(call, picture.bytes()), explain, call::isOpen)
            .handle(
                (answer, failure) -> {
                  if (failure == null) {
                    metrics.answered(seconds());
                    fields.putAll(json(answer, seconds()));
                  } else if (list && failure instanceof NotFiniteException) {
                    fields.put("error", NOT_FINITE);
                  } else {
                    throw new CompletionException(failure);
                  }
                  return fields;
                });
      } catch (Refused e) {
        if (!list) {
          throw e;
        }
        fields.put("error", e.getMessage());
        return CompletableFuture.completedFuture(fields);
      }
    }
  }

  private PreparedImage prepare(Call call, byte[] picture) throws IOException {
    pixels(picture);
    XnioExecutor.Key alarm =
        call.after(
            limits.decoding(),
            () -> call.fail(422, "the picture takes too long to decode; make it smaller"));
    try {
      return classifier.prepare(new ByteArrayInputStream(picture));
    } catch (IOException e) {
      throw new Refused(422, e.getMessage());
    } finally {
      alarm.remove();
    }
  }

  /** Libraries may close what the network needs before {@link #drain} is called. */
  static boolean isEnding() {
    Thread none = new Thread();
    try {
      Runtime.getRuntime().addShutdownHook(none);
      Runtime.getRuntime().removeShutdownHook(none);
      return false;
    } catch (IllegalStateException e) {
      return true;
    }
  }

  static void refuse(Call call) {
    busy(call, "the server is stopping");
  }

  /** The client learns that it was not its fault, the log why; what stops may break. */
  private void broken(Call call, Throwable failure) {
    if (stopping || isEnding()) {
      refuse(call);
    } else if (failure instanceof NotFiniteException) {
      call.fail(422, NOT_FINITE);
    } else {
      LOG.error("A prediction failed: {}", String.valueOf(failure), failure);
      call.fail(500, "the prediction failed; the server's log says why");
    }
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

  /** How many pixels there are to decode. */
  private long pixels(byte[] picture) throws IOException {
    if (!Pixels.isImage(picture)) {
      throw new Refused(415, problem(picture));
    }
    long pixels;
    try {
      pixels = Pixels.count(picture);
    } catch (IOException e) {
      throw new Refused(422, e.getMessage());
    }
    if (pixels > limits.pixels()) {
      throw new Refused(
          413,
          String.format(
              "expected at most %d million pixels, got %d million",
              limits.pixels() / 1_000_000, pixels / 1_000_000));
    }
    return pixels;
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

  private Map<String, Object> json(PredictionQueue.Answer answer, double seconds) {
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
    answer.classification().doubt(unsureBelow).ifPresent(why -> fields.put("doubt", why));
    fields.put("milliseconds", milliseconds(seconds));
    if (answer.attribution() != null) {
      fields.put("attribution", answer.attribution());
    }
    return fields;
  }

  private static double milliseconds(double seconds) {
    return Math.round(1e4 * seconds) / 10.0;
  }
}
