/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.serve;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class HealthCheckTest {

  @Test
  void asksTheServer() throws IOException {
    AtomicInteger status = new AtomicInteger(200);
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/health",
        exchange -> {
          exchange.sendResponseHeaders(status.get(), -1);
          exchange.close();
        });
    server.start();
    int port = server.getAddress().getPort();
    assertThat(HealthCheck.isWell(port)).isTrue();
    status.set(503);
    assertThat(HealthCheck.isWell(port)).as("while it stops").isFalse();
    server.stop(0);
    assertThat(HealthCheck.isWell(port)).as("when it is gone").isFalse();
  }
}
