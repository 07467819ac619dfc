/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.serve;

import io.github.spd4j.experiments.Environment;
import io.github.spd4j.experiments.UserException;
import io.github.spd4j.models.ModelCard;
import io.github.spd4j.predictions.ImageClassifier;
import io.undertow.Handlers;
import io.undertow.Undertow;
import io.undertow.UndertowOptions;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.HeaderMap;
import io.undertow.util.Headers;
import io.undertow.util.HttpString;
import io.undertow.util.Methods;
import io.undertow.util.StatusCodes;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.xnio.Options;

/** The web service for one model: its end points, and the server that listens. */
final class ImageServer implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(ImageServer.class);

  private static final int MOST_CONNECTIONS = 2048;
  private static final long ANY = -1;
  private static final int MOST_HEADER_BYTES = 1 << 14;
  private static final int HEADER_MILLISECONDS = 10_000;
  private static final int IDLE_MILLISECONDS = 30_000;
  private static final int LEAVING_MILLISECONDS = 500;

  /** What browsers are told with every answer: show nothing of others, be shown by nobody. */
  private static final Map<String, String> SECURITY =
      Map.of(
          "Content-Security-Policy",
          "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
              + " img-src 'self' blob: data:; base-uri 'none'; form-action 'none';"
              + " frame-ancestors 'none'",
          "X-Content-Type-Options",
          "nosniff",
          "X-Frame-Options",
          "DENY",
          "Referrer-Policy",
          "no-referrer",
          "Cross-Origin-Opener-Policy",
          "same-origin",
          "Cross-Origin-Resource-Policy",
          "same-origin",
          "Cache-Control",
          "no-store");

  /**
   * An end point.
   *
   * @param method GET or POST
   * @param open whether it is open to those who have no token
   * @param action what answers
   */
  private record EndPoint(HttpString method, boolean open, Consumer<Call> action) {

    boolean takes(HttpString other) {
      return method.equals(other) || method.equals(Methods.GET) && other.equals(Methods.HEAD);
    }

    String allowed() {
      return method.equals(Methods.GET) ? "GET, HEAD" : method.toString();
    }
  }

  private final Limits limits;
  private final AccessCheck accessCheck;
  private final Predict predict;
  private final Map<String, EndPoint> endPoints;
  private final Undertow server;

  /**
   * Starts a server.
   *
   * @param classifier the model
   * @param address where it listens; port 0 is any free one
   * @param token what clients must know; null if nobody else can reach the address
   * @param limits how much it takes on
   */
  ImageServer(ImageClassifier classifier, InetSocketAddress address, String token, Limits limits) {
    this(classifier, address, token, limits, classifier.card().confidence().unsureBelow());
  }

  /** The same with another probability below which an answer is unsure. */
  ImageServer(
      ImageClassifier classifier,
      InetSocketAddress address,
      String token,
      Limits limits,
      double unsureBelow) {
    this.limits = limits;
    this.accessCheck = new AccessCheck(token);
    this.predict = new Predict(classifier, limits, unsureBelow);
    Map<String, Object> model = model(classifier, limits);
    this.endPoints =
        Map.of(
            "/", page("page.html", "text/html; charset=utf-8"),
            "/page.css", page("page.css", "text/css; charset=utf-8"),
            "/page.js", page("page.js", "text/javascript; charset=utf-8"),
            "/openapi.json", page("openapi.json", "application/json"),
            "/health", new EndPoint(Methods.GET, true, this::health),
            "/metrics", new EndPoint(Methods.GET, false, this::metrics),
            "/v1/model", new EndPoint(Methods.GET, false, call -> call.json(200, model)),
            "/v1/predict", new EndPoint(Methods.POST, false, call -> predict.handle(call, false)),
            "/v1/batch", new EndPoint(Methods.POST, false, call -> predict.handle(call, true)));
    this.server =
        Undertow.builder()
            .addHttpListener(address.getPort(), address.getAddress().getHostAddress())
            .setIoThreads(2)
            .setWorkerThreads(Math.max(2, Runtime.getRuntime().availableProcessors()))
            .setServerOption(UndertowOptions.MAX_HEADER_SIZE, MOST_HEADER_BYTES)
            .setServerOption(UndertowOptions.MAX_ENTITY_SIZE, ANY) // a call has its own limits
            .setServerOption(UndertowOptions.REQUEST_PARSE_TIMEOUT, HEADER_MILLISECONDS)
            .setServerOption(UndertowOptions.NO_REQUEST_TIMEOUT, IDLE_MILLISECONDS)
            .setServerOption(UndertowOptions.SHUTDOWN_TIMEOUT, LEAVING_MILLISECONDS)
            .setSocketOption(Options.CONNECTION_HIGH_WATER, MOST_CONNECTIONS)
            .setSocketOption(Options.CONNECTION_LOW_WATER, MOST_CONNECTIONS)
            .setHandler(Handlers.httpContinueRead(this::handle))
            .build();
    start(address);
  }

  private void start(InetSocketAddress address) {
    try {
      server.start();
    } catch (RuntimeException e) {
      predict.close();
      if (e.getCause() instanceof SocketException) {
        throw new UserException(
            String.format(
                "%s, port %d: %s; choose another --port (0 is any that is free), or as --host an"
                    + " address of this machine",
                address.getAddress().getHostAddress(),
                address.getPort(),
                e.getCause().getMessage()),
            e);
      }
      throw e;
    }
  }

  private static EndPoint page(String name, String type) {
    try (InputStream stream = ImageServer.class.getResourceAsStream(name)) {
      byte[] content = stream.readAllBytes();
      return new EndPoint(Methods.GET, true, call -> call.answer(200, type, content));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Where it listens.
   *
   * @return the address with the port that was chosen
   */
  InetSocketAddress address() {
    return (InetSocketAddress) server.getListenerInfo().get(0).getAddress();
  }

  /** The queue in front of the network. */
  PredictionQueue queue() {
    return predict.queue();
  }

  /** On a thread of the network's: must not wait for anything. */
  private void handle(HttpServerExchange exchange) {
    Call call = new Call(exchange, limits.time());
    HeaderMap headers = exchange.getResponseHeaders();
    SECURITY.forEach((name, value) -> headers.put(new HttpString(name), value));
    String path = exchange.getRequestPath();
    EndPoint endPoint = endPoints.get(path);
    exchange.addExchangeCompleteListener(
        (done, next) -> {
          predict.metrics().request(endPoint == null ? "other" : path, done.getStatusCode());
          next.proceed();
        });
    exchange.addResponseCommitListener(this::excuse);
    try {
      route(call, endPoint);
    } catch (RuntimeException | Error e) {
      if (predict.isStopping() || Predict.isEnding()) {
        Predict.refuse(call);
        return;
      }
      LOG.error("{} {} failed: {}", exchange.getRequestMethod(), path, String.valueOf(e), e);
      call.fail(500, "the request failed; the server's log says why");
    }
  }

  /** What fails while the server stops is no defect: clients may ask another one. */
  private void excuse(HttpServerExchange exchange) {
    boolean failed = exchange.getStatusCode() == StatusCodes.INTERNAL_SERVER_ERROR;
    if (failed && (predict.isStopping() || Predict.isEnding())) {
      exchange.setStatusCode(StatusCodes.SERVICE_UNAVAILABLE);
      exchange.getResponseHeaders().put(Headers.RETRY_AFTER, "1");
    }
  }

  private void route(Call call, EndPoint endPoint) {
    HttpServerExchange exchange = call.exchange();
    AccessCheck.Refusal refusal =
        accessCheck.refusal(exchange, endPoint != null && endPoint.open()).orElse(null);
    if (refusal != null) {
      call.fail(refusal.status(), refusal.line());
    } else if (endPoint == null) {
      call.fail(
          404,
          "no such path; there are /, /v1/predict, /v1/batch, /v1/model, /health,"
              + " /metrics and /openapi.json");
    } else if (!endPoint.takes(exchange.getRequestMethod())) {
      exchange.getResponseHeaders().put(Headers.ALLOW, endPoint.allowed());
      call.fail(405, "expected " + endPoint.allowed());
    } else {
      endPoint.action().accept(call);
    }
  }

  private void health(Call call) {
    if (predict.isStopping()) {
      call.json(503, Map.of("status", "stopping"));
    } else {
      call.json(200, Map.of("status", "ok"));
    }
  }

  private void metrics(Call call) {
    call.text(Metrics.TYPE, predict.metrics().text());
  }

  private static Map<String, Object> model(ImageClassifier classifier, Limits limits) {
    ModelCard card = classifier.card();
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("method", card.method());
    fields.put("backbone", card.backbone());
    fields.put("classes", card.classes());
    fields.put("size", card.size());
    fields.put("views", card.views().name());
    fields.put("input", card.pixels().toString());
    fields.put("explains", classifier.explains());
    fields.put("version", Environment.describe().get("library"));
    Map<String, Object> most = new LinkedHashMap<>();
    most.put("bytes", limits.bytes());
    most.put("pixels", limits.pixels());
    most.put("seconds", limits.time().toMillis() / 1e3);
    fields.put("limits", most);
    return fields;
  }

  /** Takes no more, finishes what is in hand as far as time allows, and leaves. */
  @Override
  public void close() {
    try {
      predict.drain(limits.grace());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    server.stop();
    predict.close();
  }
}
