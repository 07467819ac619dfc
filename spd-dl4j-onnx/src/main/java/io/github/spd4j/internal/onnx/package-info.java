/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * ONNX files: written of networks, read and checked before a native library sees them, and run by
 * ONNX Runtime.
 */
package io.github.spd4j.internal.onnx;
