/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.reports;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** Writes files so that there is either a whole file or none. */
public final class OutputFile {

  private OutputFile() {}

  /**
   * Writes text as UTF-8, in place of what was there.
   *
   * @param file the file, in a folder that exists
   * @param text its content
   * @throws UncheckedIOException if it cannot be written; then what was there stays
   */
  public static void write(Path file, String text) {
    write(file, text.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Writes bytes, in place of what was there.
   *
   * @param file the file, in a folder that exists
   * @param bytes its content
   * @throws UncheckedIOException if it cannot be written; then what was there stays
   */
  public static void write(Path file, byte[] bytes) {
    Path target = file.toAbsolutePath();
    Path temporary = target.resolveSibling(target.getFileName() + ".tmp");
    try {
      save(temporary, bytes);
      Files.move(
          temporary, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      dropQuietly(temporary, e);
      throw new UncheckedIOException(
          "cannot write "
              + file
              + ": expected a folder that is writable and a disk that is not full",
          e);
    }
  }

  private static void save(Path file, byte[] bytes) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            file,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING)) {
      ByteBuffer rest = ByteBuffer.wrap(bytes);
      while (rest.hasRemaining()) {
        channel.write(rest);
      }
      channel.force(true);
    }
  }

  private static void dropQuietly(Path file, IOException reason) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      reason.addSuppressed(e);
    }
  }
}
