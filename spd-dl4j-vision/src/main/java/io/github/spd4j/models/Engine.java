/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.models;

/** What computes the outputs of a network. The log says once which engine that is. */
public enum Engine {
  /**
   * ONNX Runtime, if it is on the class path, DL4J runs on the CPU, and the network can be written
   * as ONNX; otherwise Deeplearning4j.
   */
  AUTO,
  /** Deeplearning4j itself. */
  DL4J,
  /**
   * ONNX Runtime, on the CPU, for networks that can be written as ONNX; others stay with DL4J, and
   * the log says why. It needs {@code spd-dl4j-onnx} and {@code com.microsoft.onnxruntime} on the
   * class path.
   */
  ONNXRUNTIME
}
