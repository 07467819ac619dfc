/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.cuda;

import io.github.spd4j.internal.cuda.Kernels.Shape;
import org.bytedeco.cuda.cudart.CUstream_st;
import org.bytedeco.javacpp.Pointer;

/**
 * A copy of an array [N, C, H, W] on a card with the channels last, in the type of a convolution.
 * Channels that fill it up are zero. All arrays that take the same part in convolutions are copied
 * to the same place, one after the other.
 */
final class ChannelsLast {

  private static final int TILE = 32;
  private static final Shape THREADS = new Shape(TILE, 8, 1);

  private final CudnnMemory memory = new CudnnMemory();

  /** Room for an array, which holds anything. */
  Pointer room(CudnnType type, long[] shape) {
    return memory.atLeast(type.bytes * shape[0] * shape[2] * shape[3] * type.filledUp(shape[1]));
  }

  /**
   * Copies an array.
   *
   * @param array in C order
   * @param shape its shape
   * @param images how many images the copy has; those beyond the array's are zero
   */
  Pointer copy(Pointer array, CudnnType type, long[] shape, long images, CUstream_st stream) {
    Pointer copy = room(type, new long[] {images, shape[1], shape[2], shape[3]});
    CudaAlgebra.kernels()
        .launch(
            "channelsLast_bfloat16",
            tiles(type, shape, images),
            THREADS,
            stream,
            CudaAlgebra.address(array),
            copy.address(),
            shape[0],
            shape[1],
            shape[2] * shape[3],
            type.filledUp(shape[1]));
    return copy;
  }

  /**
   * Copies what the room holds back.
   *
   * @param array overwritten, in C order
   * @param shape its shape
   * @param bias a number for each channel that is added, or null
   * @param rectified whether what is below zero becomes zero
   */
  void copyBack(
      Pointer array,
      CudnnType type,
      long[] shape,
      Pointer bias,
      boolean rectified,
      CUstream_st stream) {
    CudaAlgebra.kernels()
        .launch(
            "channelsFirst_bfloat16",
            tiles(type, shape, shape[0]),
            THREADS,
            stream,
            room(type, shape).address(),
            bias == null ? 0 : CudaAlgebra.address(bias),
            CudaAlgebra.address(array),
            shape[1],
            shape[2] * shape[3],
            type.filledUp(shape[1]),
            rectified ? 1 : 0);
  }

  private static Shape tiles(CudnnType type, long[] shape, long images) {
    long places = shape[2] * shape[3];
    long channels = type.filledUp(shape[1]);
    return new Shape((places + TILE - 1) / TILE, (channels + 2 * TILE - 1) / (2 * TILE), images);
  }
}
