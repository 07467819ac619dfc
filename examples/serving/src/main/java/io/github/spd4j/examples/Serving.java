/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.examples;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.github.spd4j.predictions.ImageClassifier;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.Executors;

/**
 * Answers pictures over HTTP: one classifier, loaded once, which all threads share.
 *
 * <p>For this machine alone. A service for a network, with limits, tokens, batches and metrics, is
 * {@code ./spd serve}.
 */
public final class Serving {

  private static final int LARGEST = 20_000_000;
  private static final int THREADS = 4;

  private Serving() {}

  /**
   * Serves until it is stopped: {@code curl --data-binary @leaf.jpg localhost:8080}.
   *
   * @param args a model file, or the folder of a run, and a port
   * @throws IOException if the model cannot be read or the port is taken
   */
  public static void main(String[] args) throws IOException {
    HttpServer server = start(Path.of(args[0]), Integer.parseInt(args[1]));
    System.out.println("Post pictures to http://localhost:" + server.getAddress().getPort());
  }

  /**
   * Starts the service.
   *
   * @param model a model file, or the folder of a run
   * @param port a port of this machine, 0 for any
   * @return the running server
   * @throws IOException if the model cannot be read or the port is taken
   */
  public static HttpServer start(Path model, int port) throws IOException {
    ImageClassifier classifier = ImageClassifier.load(model);
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    server.setExecutor(Executors.newFixedThreadPool(THREADS));
    server.createContext("/", exchange -> answer(classifier, exchange));
    server.start();
    return server;
  }

  private static void answer(ImageClassifier classifier, HttpExchange exchange) throws IOException {
    byte[] picture = exchange.getRequestBody().readNBytes(LARGEST + 1);
    if (picture.length > LARGEST) {
      send(exchange, 413, "a picture has at most " + LARGEST + " bytes");
      return;
    }
    String answer;
    try {
      answer = classifier.classify(new ByteArrayInputStream(picture)).toString();
    } catch (IOException e) { // not a picture, or a broken one
      send(exchange, 400, e.getMessage());
      return;
    }
    send(exchange, 200, answer);
  }

  private static void send(HttpExchange exchange, int status, String text) throws IOException {
    byte[] body = (text + "\n").getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "text/plain; charset=utf-8");
    exchange.sendResponseHeaders(status, body.length);
    try (exchange) {
      exchange.getResponseBody().write(body);
    }
  }
}
