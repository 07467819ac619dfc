/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.files;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** Why a file could not be read or written, in words: systems often tell no more than its name. */
public final class Reason {

  private Reason() {}

  /**
   * The reason alone.
   *
   * @param failure what the system said
   * @return a few words, without the name of the file where there are others
   */
  public static String of(IOException failure) {
    if (failure instanceof FileSystemException) {
      FileSystemException told = (FileSystemException) failure;
      if (told.getReason() != null) {
        return told.getReason();
      }
      if (told instanceof AccessDeniedException) {
        return "no permission";
      }
      if (told instanceof NoSuchFileException) {
        return "it is not there";
      }
    }
    return failure.getMessage();
  }
}
