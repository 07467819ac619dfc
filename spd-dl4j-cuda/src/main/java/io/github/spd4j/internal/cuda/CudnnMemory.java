/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.cuda;

import static org.bytedeco.cuda.global.cudart.cudaFree;
import static org.bytedeco.cuda.global.cudart.cudaMalloc;
import static org.bytedeco.cuda.global.cudart.cudaSuccess;

import org.bytedeco.javacpp.Pointer;

/**
 * Memory of a card for intermediate results. What is queued uses it one after the other, so that
 * one piece does for all. It does not come from ND4J, whose arrays take memory of the host as well.
 */
final class CudnnMemory {

  private final Pointer start = new Pointer();
  private long bytes;

  /** Some bytes, which hold anything. */
  Pointer atLeast(long wanted) {
    if (bytes < wanted) {
      free();
      int status = cudaMalloc(start, wanted);
      if (status != cudaSuccess) {
        throw new IllegalStateException(
            String.format(
                "expected %,d bytes on the card for intermediate results, got CUDA's error %d: use"
                    + " smaller batches, or set -D%s",
                wanted, status, Cudnn.MEMORY));
      }
      bytes = wanted;
    }
    return start;
  }

  /** Gives everything back, when the card has done what is queued. */
  void free() {
    if (bytes > 0) {
      bytes = 0;
      cudaFree(start);
    }
  }
}
