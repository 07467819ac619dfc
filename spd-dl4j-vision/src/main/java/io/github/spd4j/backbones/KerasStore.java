/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.backbones;

import io.github.spd4j.internal.files.AtomicFile;
import io.github.spd4j.internal.files.RegularFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.net.URLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.deeplearning4j.common.resources.DL4JResources;
import org.deeplearning4j.common.resources.ResourceType;

/**
 * A file of weights that Keras publishes, with the MD5 that Keras' own source has for it. It is
 * downloaded once, to DL4J's directory of models.
 */
final class KerasStore {

  /** Another address of the same files, such as a mirror. */
  static final String PROPERTY = "spd4j.keras.store";

  private static final String ADDRESS =
      "https://storage.googleapis.com/tensorflow/keras-applications/";

  private static final int CONNECT_MILLIS = 20_000;
  private static final int READ_MILLIS = 60_000;

  private final String path;
  private final String md5;

  /**
   * A file.
   *
   * @param path its path in the store
   * @param md5 its checksum, as hexadecimal digits
   */
  KerasStore(String path, String md5) {
    this.path = path;
    this.md5 = md5;
  }

  /** Where it is published. */
  String address() {
    return System.getProperty(PROPERTY, ADDRESS) + path;
  }

  /**
   * The file on this machine, downloaded unless it was before.
   *
   * @throws IOException if it cannot be had, or is not what Keras published
   */
  Path file() throws IOException {
    Path folder = DL4JResources.getDirectory(ResourceType.ZOO_MODEL, "keras").toPath();
    Path file = folder.resolve(path.substring(path.lastIndexOf('/') + 1));
    boolean fresh = !Files.exists(file);
    if (fresh) {
      download(file);
    }
    String found = md5(file);
    if (!found.equals(md5)) {
      if (fresh) {
        Files.delete(file);
      }
      String which = fresh ? "" : " in " + file + ", which you may delete";
      throw new IOException(
          String.format("expected %s with the MD5 %s, got %s%s", address(), md5, found, which));
    }
    return file;
  }

  private void download(Path file) throws IOException {
    URLConnection connection = URI.create(address()).toURL().openConnection();
    connection.setConnectTimeout(CONNECT_MILLIS);
    connection.setReadTimeout(READ_MILLIS);
    try (InputStream stream = connection.getInputStream()) {
      AtomicFile.write(file, stream::transferTo);
    }
  }

  private static String md5(Path file) throws IOException {
    try (DigestInputStream stream =
        new DigestInputStream(
            Files.newInputStream(RegularFile.require(file)), MessageDigest.getInstance("MD5"))) {
      stream.transferTo(OutputStream.nullOutputStream());
      StringBuilder digits = new StringBuilder();
      for (byte b : stream.getMessageDigest().digest()) {
        digits.append(String.format("%02x", b));
      }
      return digits.toString();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every Java has it
    }
  }
}
