/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.reports;

import io.github.spd4j.files.AtomicFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Writes what a command leaves: there is either a whole file or none. */
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
    Path folder = file.toAbsolutePath().getParent();
    if (!Files.isDirectory(folder)) {
      throw new UncheckedIOException(
          "cannot write " + file + ": expected a folder that exists",
          new NoSuchFileException(folder.toString()));
    }
    AtomicFile.write(file, out -> out.write(bytes));
  }

  /**
   * Makes the folder that an option names, if it is not there.
   *
   * @param option the option, for the message
   * @param folder the folder
   * @throws UncheckedIOException if it cannot be made
   */
  public static void createFolder(String option, Path folder) {
    try {
      Files.createDirectories(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(
          option + " needs a folder that can be written, got " + folder, e);
    }
  }
}
