/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.linalg;

/**
 * Says that numbers were NaN or infinite, or that a step was too large to be taken: training has
 * diverged, while the network itself is in order. A smaller learning rate may help.
 */
public final class NotFiniteException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  /**
   * An exception with a message.
   *
   * @param message where the numbers were found
   */
  public NotFiniteException(String message) {
    super(message);
  }
}
