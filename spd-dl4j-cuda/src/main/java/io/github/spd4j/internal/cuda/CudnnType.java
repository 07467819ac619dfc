/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.cuda;

import static org.bytedeco.cuda.global.cudnn.CUDNN_DATA_BFLOAT16;
import static org.bytedeco.cuda.global.cudnn.CUDNN_DATA_FLOAT;
import static org.bytedeco.cuda.global.cudnn.CUDNN_DEFAULT_MATH;
import static org.bytedeco.cuda.global.cudnn.CUDNN_FMA_MATH;
import static org.bytedeco.cuda.global.cudnn.CUDNN_TENSOR_NCHW;
import static org.bytedeco.cuda.global.cudnn.CUDNN_TENSOR_NHWC;
import static org.bytedeco.cuda.global.cudnn.CUDNN_TENSOR_OP_MATH;

/** How cuDNN's operands are stored, and what it may make of them. */
enum CudnnType {
  FLOAT(CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, CUDNN_FMA_MATH, Float.BYTES, 1),
  TF32(CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, CUDNN_DEFAULT_MATH, Float.BYTES, 1),
  BFLOAT16(CUDNN_DATA_BFLOAT16, CUDNN_TENSOR_NHWC, CUDNN_TENSOR_OP_MATH, Short.BYTES, 8);

  final int number;
  final int format;
  final int math;
  final int bytes;
  private final int channels;

  CudnnType(int number, int format, int math, int bytes, int channels) {
    this.number = number;
    this.format = format;
    this.math = math;
    this.bytes = bytes;
    this.channels = channels;
  }

  /** Whether arrays have to be brought into its order first. */
  boolean hasChannelsLast() {
    return format == CUDNN_TENSOR_NHWC;
  }

  /** The number of channels filled up to what its fast algorithms take: 16 bytes. */
  long filledUp(long number) {
    return (number + channels - 1) / channels * channels;
  }
}
