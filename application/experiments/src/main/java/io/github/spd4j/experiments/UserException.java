/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

/** Something the user can put right: wrong arguments, missing data, a folder without permission. */
public class UserException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /**
   * A message.
   *
   * @param line what was expected, what came and what to do, in one line
   */
  public UserException(String line) {
    super(line);
  }

  /**
   * A message with its cause.
   *
   * @param line what was expected, what came and what to do, in one line
   * @param cause what found it
   */
  public UserException(String line, Throwable cause) {
    super(line, cause);
  }
}
