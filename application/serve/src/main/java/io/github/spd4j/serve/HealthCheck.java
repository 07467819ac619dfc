/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.serve;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;

/**
 * Asks a server on this machine whether it is well. The container's health check, where no other
 * program could ask.
 */
public final class HealthCheck {

  private static final int PATIENCE = 5_000;

  private HealthCheck() {}

  /**
   * Exits with 0 if the server is well, and with 1 if it is not.
   *
   * @param arguments its port, 8080 if there is none
   */
  public static void main(String... arguments) {
    System.exit(isWell(arguments.length == 0 ? 8080 : Integer.parseInt(arguments[0])) ? 0 : 1);
  }

  static boolean isWell(int port) {
    try {
      HttpURLConnection connection =
          (HttpURLConnection)
              URI.create("http://127.0.0.1:" + port + "/health").toURL().openConnection();
      connection.setConnectTimeout(PATIENCE);
      connection.setReadTimeout(PATIENCE);
      return connection.getResponseCode() == HttpURLConnection.HTTP_OK;
    } catch (IOException e) {
      return false;
    }
  }
}
