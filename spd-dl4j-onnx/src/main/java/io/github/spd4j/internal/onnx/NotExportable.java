/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.onnx;

/** Says what of a network the standard operators of ONNX cannot compute, and what can be done. */
final class NotExportable extends UnsupportedOperationException {

  private static final long serialVersionUID = 1L;

  NotExportable(String message) {
    super(message);
  }
}
