/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

/** Something the user can put right: wrong arguments, missing data, a folder without permission. */
public final class Mistake extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /**
   * A mistake.
   *
   * @param line what was wanted and what was found, in one line
   */
  public Mistake(String line) {
    super(line);
  }

  /**
   * A mistake with its cause.
   *
   * @param line what was wanted and what was found, in one line
   * @param cause what found it
   */
  public Mistake(String line, Throwable cause) {
    super(line, cause);
  }
}
