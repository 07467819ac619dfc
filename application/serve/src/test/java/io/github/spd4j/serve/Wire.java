/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.serve;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A connection on which a test writes what no well-behaved client would. */
final class Wire implements AutoCloseable {

  private final Socket socket;

  Wire(InetSocketAddress server) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), server.getPort());
    socket.setSoTimeout(60_000);
  }

  /** The head of a prediction. */
  static String post(String... headers) {
    return "POST /v1/predict HTTP/1.1\r\nHost: localhost\r\n"
        + String.join("\r\n", headers)
        + "\r\n\r\n";
  }

  Wire send(String text) throws IOException {
    return send(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  Wire send(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
    socket.getOutputStream().flush();
    return this;
  }

  /** What comes until the server hangs up; empty if that is all it does. */
  String rest() throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    InputStream in = socket.getInputStream();
    try {
      for (int one = in.read(); one >= 0; one = in.read()) {
        all.write(one);
      }
    } catch (java.net.SocketException e) {
      // Reset: the server did not wait for all that was sent.
    }
    return all.toString(StandardCharsets.UTF_8);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
