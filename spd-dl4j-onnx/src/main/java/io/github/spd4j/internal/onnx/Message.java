/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.onnx;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A message of Protocol Buffers, which ONNX files are made of. It is written field by field, so
 * that the weights of a network are in memory once. (The classes that ND4J has for ONNX differ
 * between its versions.)
 */
final class Message {

  private static final int NUMBER = 0;
  private static final int BYTES = 2;
  private static final int FOUR_BYTES = 5;

  /** What is written without being copied. */
  interface Content {

    /** How many bytes it has. */
    long size();

    /** Writes the bytes. */
    void writeTo(OutputStream out) throws IOException;
  }

  private final List<Content> parts = new ArrayList<>();

  /** Adds a number that is not negative, or −1. */
  Message with(int field, long value) {
    tag(field, NUMBER);
    return raw(varint(value));
  }

  /** Adds a number of single precision. */
  Message with(int field, float value) {
    tag(field, FOUR_BYTES);
    int bits = Float.floatToIntBits(value);
    return raw((byte) bits, (byte) (bits >> 8), (byte) (bits >> 16), (byte) (bits >> 24));
  }

  /** Adds text. */
  Message with(int field, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    tag(field, BYTES);
    raw(varint(bytes.length));
    return raw(bytes);
  }

  /** Adds a message, which must be complete. */
  Message with(int field, Message message) {
    tag(field, BYTES);
    raw(varint(message.size()));
    parts.addAll(message.parts);
    return this;
  }

  /** Adds bytes. */
  Message with(int field, Content content) {
    tag(field, BYTES);
    raw(varint(content.size()));
    parts.add(content);
    return this;
  }

  /** The size of what was added. */
  long size() {
    return parts.stream().mapToLong(Content::size).sum();
  }

  /** Writes what was added. */
  void writeTo(OutputStream out) throws IOException {
    for (Content part : parts) {
      part.writeTo(out);
    }
  }

  private void tag(int field, int kind) {
    raw(varint((long) field << 3 | kind));
  }

  private Message raw(byte... bytes) {
    parts.add(
        new Content() {
          @Override
          public long size() {
            return bytes.length;
          }

          @Override
          public void writeTo(OutputStream out) throws IOException {
            out.write(bytes);
          }
        });
    return this;
  }

  private static byte[] varint(long value) {
    int length = Math.max(1, (Long.SIZE - Long.numberOfLeadingZeros(value) + 6) / 7);
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      boolean isLast = i == length - 1;
      bytes[i] = (byte) (value >>> (7 * i) & 0x7f | (isLast ? 0 : 0x80));
    }
    return bytes;
  }
}
