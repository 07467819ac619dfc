/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.serve;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.Headers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.xnio.IoUtils;
import org.xnio.XnioExecutor;

/**
 * A request that gets exactly one answer, within its time, whoever is first to give it.
 *
 * <p>Threads of the network, of the decoders and of the clock may answer. The first one wins.
 */
final class Call {

  private static final ObjectMapper JSON = new ObjectMapper();

  /** How long a client that is still sending may take to read why nobody listens any more. */
  private static final Duration LINGERING = Duration.ofSeconds(1);

  private final HttpServerExchange exchange;
  private final AtomicBoolean answered = new AtomicBoolean();
  private final AtomicBoolean ended = new AtomicBoolean();
  private final XnioExecutor.Key clock;
  private final Queue<Runnable> atTheEnd = new ConcurrentLinkedQueue<>();

  /**
   * Starts the clock.
   *
   * @param exchange the request
   * @param time how long it may take
   */
  Call(HttpServerExchange exchange, Duration time) {
    this.exchange = exchange;
    this.clock = after(time, this::expire);
    exchange.addExchangeCompleteListener(
        (done, next) -> {
          end();
          next.proceed();
        });
  }

  /**
   * Does something later, on the thread of the network.
   *
   * @return what takes it back
   */
  XnioExecutor.Key after(Duration time, Runnable action) {
    try {
      return exchange.getIoThread().executeAfter(action, time.toMillis(), TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      return () -> false; // the thread is ending, and its connections with it
    }
  }

  HttpServerExchange exchange() {
    return exchange;
  }

  /**
   * Says what to do when the request is over, in whatever way: at once if it is.
   *
   * @param action done once
   */
  void atTheEnd(Runnable action) {
    atTheEnd.add(action);
    if (ended.get() && atTheEnd.remove(action)) {
      action.run();
    }
  }

  private void end() {
    if (ended.compareAndSet(false, true)) {
      clock.remove();
      for (Runnable action = atTheEnd.poll(); action != null; action = atTheEnd.poll()) {
        action.run();
      }
    }
  }

  /** Whether there is still somebody to answer to. */
  boolean isOpen() {
    return !answered.get() && exchange.getConnection().isOpen();
  }

  private void expire() {
    if (!exchange.isRequestComplete()) {
      fail(408, "the request did not arrive in time; send it faster, or a smaller picture");
    } else {
      fail(504, "no answer in time; try again later");
    }
    after(LINGERING, this::hangUp);
  }

  /** Ends it without an answer. */
  void hangUp() {
    if (!ended.get()) {
      answered.set(true);
      IoUtils.safeClose(exchange.getConnection());
      end();
    }
  }

  /** Answers with what went wrong, in one line of JSON. */
  void fail(int status, String line) {
    json(status, Map.of("error", line.replaceAll("\\s+", " ")));
  }

  /** Answers with JSON. */
  void json(int status, Object value) {
    try {
      answer(status, "application/json", JSON.writeValueAsBytes(value));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("cannot be written as JSON: " + value, e);
    }
  }

  /** Answers with a text. */
  void text(String type, String text) {
    answer(200, type, text.getBytes(StandardCharsets.UTF_8));
  }

  /** Answers, if nobody has yet. */
  void answer(int status, String type, byte[] body) {
    if (!answered.compareAndSet(false, true)) {
      return;
    }
    exchange.setStatusCode(status);
    exchange.getResponseHeaders().put(Headers.CONTENT_TYPE, type);
    if (!exchange.isRequestComplete()) { // what is still to come is read past, for a moment
      exchange.setPersistent(false);
      exchange.getResponseHeaders().put(Headers.CONNECTION, "close");
      after(LINGERING, this::hangUp);
    }
    exchange.getResponseSender().send(ByteBuffer.wrap(body));
  }
}
