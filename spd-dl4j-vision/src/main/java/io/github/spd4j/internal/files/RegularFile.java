/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.files;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Files are opened only if they are: whoever opens a pipe or a device may wait for ever. */
public final class RegularFile {

  private RegularFile() {}

  /**
   * Refuses what is no file.
   *
   * @param file a file, or a link to one
   * @return the file, to be opened
   * @throws IOException if it is not there, or is a folder, a pipe or a device
   */
  public static Path require(Path file) throws IOException {
    if (!Files.exists(file)) {
      throw new NoSuchFileException(file.toString());
    }
    if (!Files.isRegularFile(file)) {
      throw new IOException(file + " is no file, but a folder, a pipe or a device");
    }
    return file;
  }
}
