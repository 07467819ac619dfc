/**
 * Networks of this library as ONNX files, and ONNX files as backbones.
 *
 * <p>What belongs here: what programs call. What translates layers, reads and writes the files, and
 * runs them by ONNX Runtime lies in {@code io.github.spd4j.internal.onnx}.
 */
package io.github.spd4j.onnx;
