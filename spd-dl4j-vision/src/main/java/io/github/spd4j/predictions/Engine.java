/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.predictions;

/** What computes the answers of a network. */
public enum Engine {
  /** Deeplearning4j itself. */
  DL4J,
  /**
   * ONNX Runtime, on the CPU, for networks that can be written as ONNX; others stay with DL4J, and
   * the log says why. It needs {@code spd-dl4j-onnx} and {@code com.microsoft.onnxruntime} on the
   * class path.
   */
  ONNXRUNTIME
}
