/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.reports;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The folder that a command writes to. */
public final class OutputFolder {

  private OutputFolder() {}

  /**
   * Makes the folder that an option names, if it is not there.
   *
   * @param option the option, for the message
   * @param folder the folder
   * @throws UncheckedIOException if it cannot be made or written
   */
  public static void create(String option, Path folder) {
    try {
      Files.createDirectories(folder);
      Files.delete(Files.createTempFile(folder, ".spd", null)); // it may be there, and read-only
    } catch (IOException e) {
      throw new UncheckedIOException(
          option + " needs a folder that can be written, got " + folder, e);
    }
  }
}
