/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.files;

import java.io.BufferedOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;

/** Replaces files so that at any moment there is either the old one or the new one, whole. */
public final class AtomicFile {

  private AtomicFile() {}

  /** Writes the content of a file. */
  public interface Content {

    /**
     * Writes all of it.
     *
     * @param out where to; must not be closed
     * @throws IOException if that fails
     */
    void writeTo(OutputStream out) throws IOException;
  }

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
    write(file, out -> out.write(bytes));
  }

  /**
   * Writes a file beside its place, waits until the disk has it, and moves it there. A link is
   * followed.
   *
   * @param file the file, in a folder that exists
   * @param content what to write
   * @throws UncheckedIOException if it cannot be written; then what was there stays
   */
  public static void write(Path file, Content content) {
    Path absolute = place(file);
    Path temporary = temporary(absolute);
    try {
      try (FileOutputStream stream = new FileOutputStream(temporary.toFile())) {
        OutputStream buffered = new BufferedOutputStream(stream, 1 << 16);
        content.writeTo(buffered);
        buffered.flush();
        stream.getFD().sync();
      }
      Files.move(
          temporary, absolute, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      syncFolder(absolute.getParent());
    } catch (IOException e) {
      dropQuietly(temporary, e);
      if (Files.isDirectory(file)) {
        throw new UncheckedIOException(
            "cannot write " + file + ": it is a folder; delete it, or choose another name", e);
      }
      throw new UncheckedIOException(
          String.format(
              "cannot write %s%s: expected a folder that is writable and a disk that is not full",
              file, Files.exists(file) ? " (what was there before is untouched)" : ""),
          e);
    }
  }

  /**
   * The file itself, if there is one; a pipe or a device would be lost if a file took its place.
   */
  private static Path place(Path file) {
    try {
      Path place = Files.exists(file) ? file.toRealPath() : file.toAbsolutePath();
      if (Files.exists(place) && Files.readAttributes(place, BasicFileAttributes.class).isOther()) {
        throw new IOException("it is no ordinary file");
      }
      return place;
    } catch (IOException e) {
      throw new UncheckedIOException(
          String.format("cannot write %s: %s; choose another name", file, e.getMessage()), e);
    }
  }

  /**
   * Where a file is while it is written; what lies there otherwise was left by a process that died.
   *
   * @param file the file
   * @return a name beside it
   */
  static Path temporary(Path file) {
    return file.resolveSibling(file.getFileName() + ".tmp");
  }

  private static void dropQuietly(Path temporary, IOException reason) {
    try {
      Files.deleteIfExists(temporary);
    } catch (IOException e) {
      reason.addSuppressed(e);
    }
  }

  /** The rename itself must reach the disk; not every system can open a folder for that. */
  private static void syncFolder(Path folder) {
    try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
      channel.force(true);
    } catch (IOException e) {
      // The file is complete either way; at worst a power failure brings the old one back.
    }
  }
}
