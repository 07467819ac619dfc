/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.files;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** SHA-256 as 64 hexadecimal digits: tells contents apart. */
public final class Digest {

  private Digest() {}

  /**
   * Of a file.
   *
   * @param file the file
   * @return of all its bytes
   * @throws IOException if it cannot be read
   */
  public static String of(Path file) throws IOException {
    MessageDigest digest = sha256();
    try (InputStream in = Files.newInputStream(RegularFile.require(file))) {
      new DigestInputStream(in, digest).transferTo(OutputStream.nullOutputStream());
    }
    return hexadecimal(digest);
  }

  /**
   * Of a text.
   *
   * @param text the text
   * @return of its bytes as UTF-8
   */
  public static String of(String text) {
    MessageDigest digest = sha256();
    digest.update(text.getBytes(StandardCharsets.UTF_8));
    return hexadecimal(digest);
  }

  /**
   * Of bytes.
   *
   * @param bytes the bytes
   * @return of all of them
   */
  public static String of(byte[] bytes) {
    MessageDigest digest = sha256();
    digest.update(bytes);
    return hexadecimal(digest);
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  private static String hexadecimal(MessageDigest digest) {
    return String.format("%064x", new BigInteger(1, digest.digest()));
  }
}
