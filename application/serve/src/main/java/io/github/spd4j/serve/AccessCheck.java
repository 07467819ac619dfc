/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.serve;

import io.undertow.server.HttpServerExchange;
import io.undertow.util.HeaderMap;
import io.undertow.util.Headers;
import io.undertow.util.HttpString;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Who may ask.
 *
 * <p>With a token: who has it. Without one only this machine is listened to, but every page that is
 * open in a browser of this machine could ask. So requests that a page of another site made are
 * refused: by their {@code Origin}, and by a {@code Host} that is not this machine's (a name of the
 * other site may be made to point here).
 */
final class AccessCheck {

  /** Without a token the server listens on one of these; a port may follow. */
  private static final Pattern THIS_MACHINE =
      Pattern.compile(
          "(localhost|127\\.\\d+\\.\\d+\\.\\d+|\\[::1])(:\\d*)?", Pattern.CASE_INSENSITIVE);

  private static final HttpString ORIGIN = new HttpString("Origin");
  private static final String SCHEME = "bearer ";

  private final byte[] token;

  /**
   * A check.
   *
   * @param token what clients must know; null if only this machine can ask
   */
  AccessCheck(String token) {
    this.token = token == null ? null : token.getBytes(StandardCharsets.UTF_8);
  }

  /** A refusal: status and line. */
  record Refusal(int status, String line) {}

  /**
   * Looks at a request.
   *
   * @param exchange the request
   * @param open whether the end point is open to all who can reach the server
   * @return why it is refused, if it is
   */
  Optional<Refusal> refusal(HttpServerExchange exchange, boolean open) {
    HeaderMap headers = exchange.getRequestHeaders();
    if (token != null) {
      if (open || knowsToken(headers.getFirst(Headers.AUTHORIZATION))) {
        return Optional.empty();
      }
      exchange.getResponseHeaders().put(Headers.WWW_AUTHENTICATE, "Bearer");
      return refused(401, "expected the header 'Authorization: Bearer TOKEN' with the right token");
    }
    String host = headers.getFirst(Headers.HOST);
    if (host != null && !THIS_MACHINE.matcher(host).matches()) {
      return refused(421, "expected a Host of this machine, such as localhost");
    }
    String origin = headers.getFirst(ORIGIN);
    if (origin != null && !origin.equalsIgnoreCase("http://" + host)) {
      return refused(403, "pages of other sites may not ask");
    }
    return Optional.empty();
  }

  private static Optional<Refusal> refused(int status, String line) {
    return Optional.of(new Refusal(status, line));
  }

  /** In a time that does not depend on how much of the token is right. */
  private boolean knowsToken(String header) {
    if (header == null || !header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
      return false;
    }
    byte[] given = header.substring(SCHEME.length()).trim().getBytes(StandardCharsets.UTF_8);
    return MessageDigest.isEqual(given, token);
  }
}
