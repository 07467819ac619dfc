/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

/** A checkpoint belongs to another training; the message says what differs and what to do. */
public final class OtherTrainingException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  OtherTrainingException(String message) {
    super(message);
  }
}
