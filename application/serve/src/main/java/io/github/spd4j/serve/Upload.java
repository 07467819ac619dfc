/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.serve;

import io.undertow.connector.ByteBufferPool;
import io.undertow.util.HeaderMap;
import io.undertow.util.Headers;
import io.undertow.util.MultipartParser;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The pictures in the body of a request: fields of a form, or the body itself. */
final class Upload {

  /** The field of a form. */
  static final String FIELD = "image";

  private static final String FORM = "multipart/form-data";

  private Upload() {}

  /**
   * A picture.
   *
   * @param file what the client calls it; null if it does not say
   * @param bytes at least one
   */
  record Picture(String file, byte[] bytes) {}

  /**
   * The pictures.
   *
   * @param type the content type of the request; null if there is none
   * @param body the whole body
   * @param buffers for the parser
   * @return at least one, in their order
   * @throws IOException if there is none; the message says what was expected
   */
  static List<Picture> pictures(String type, byte[] body, ByteBufferPool buffers)
      throws IOException {
    boolean form = type != null && type.regionMatches(true, 0, FORM, 0, FORM.length());
    List<Picture> pictures =
        form ? fields(boundary(type), body, buffers) : List.of(new Picture(null, body));
    if (pictures.stream().anyMatch(picture -> picture.bytes().length == 0)) {
      throw new IOException("expected a picture, got nothing");
    }
    return pictures;
  }

  private static String boundary(String type) throws IOException {
    String boundary = parameter(type, "boundary");
    if (boundary == null || boundary.isBlank()) {
      throw new IOException("expected a form with a boundary, got '" + type + "'");
    }
    return boundary;
  }

  /** A parameter of a header; null if it is not there, or empty, or has no end. */
  private static String parameter(String header, String name) {
    try {
      return Headers.extractQuotedValueFromHeader(header, name);
    } catch (IndexOutOfBoundsException e) {
      return null;
    }
  }

  private static List<Picture> fields(String boundary, byte[] body, ByteBufferPool buffers)
      throws IOException {
    Parts parts = new Parts();
    MultipartParser.ParseState parser =
        MultipartParser.beginParse(
            buffers, parts, boundary.getBytes(StandardCharsets.US_ASCII), "UTF-8");
    try {
      parser.parse(ByteBuffer.wrap(body));
    } catch (IOException | RuntimeException e) {
      throw new IOException("expected a form, got what cannot be read as one", e);
    }
    if (!parser.isComplete()) {
      throw new IOException("expected a whole form, got a truncated one");
    }
    if (parts.pictures.isEmpty()) {
      throw new IOException("expected a form with a field '" + FIELD + "', got none");
    }
    return parts.pictures;
  }

  /** Keeps the fields with the right name. */
  private static final class Parts implements MultipartParser.PartHandler {

    private final List<Picture> pictures = new ArrayList<>();
    private String file;
    private ByteArrayOutputStream picture; // null outside such a field

    @Override
    public void beginPart(HeaderMap headers) {
      String disposition = headers.getFirst(Headers.CONTENT_DISPOSITION);
      if (disposition != null && FIELD.equals(parameter(disposition, "name"))) {
        file = parameter(disposition, "filename");
        picture = new ByteArrayOutputStream();
      }
    }

    @Override
    public void data(ByteBuffer bytes) {
      while (bytes.hasRemaining()) {
        byte[] some = new byte[Math.min(bytes.remaining(), 1 << 16)];
        bytes.get(some);
        if (picture != null) {
          picture.writeBytes(some);
        }
      }
    }

    @Override
    public void endPart() {
      if (picture != null) {
        pictures.add(new Picture(file, picture.toByteArray()));
        picture = null;
      }
    }
  }
}
