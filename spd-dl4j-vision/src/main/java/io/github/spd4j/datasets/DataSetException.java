/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.datasets;

/** A data set cannot be used. The message is one line: where, what is there, what was expected. */
public final class DataSetException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /**
   * An exception with a message of one line.
   *
   * @param message names the file or folder, what it has and what it should have
   */
  DataSetException(String message) {
    this(message, null);
  }

  /**
   * An exception with a message of one line, and its cause.
   *
   * @param message names the file or folder, what it has and what it should have
   * @param cause what went wrong below
   */
  DataSetException(String message, Throwable cause) {
    super(message.lines().map(String::strip).reduce((a, b) -> a + " " + b).orElse(""), cause);
  }
}
