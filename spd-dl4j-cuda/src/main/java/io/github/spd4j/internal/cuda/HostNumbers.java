/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.cuda;

import static org.bytedeco.cuda.global.cudart.cudaFreeHost;
import static org.bytedeco.cuda.global.cudart.cudaMallocHost;
import static org.bytedeco.cuda.global.cudart.cudaStreamSynchronize;
import static org.bytedeco.cuda.global.cudart.cudaSuccess;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.bytedeco.cuda.cudart.CUstream_st;
import org.bytedeco.javacpp.DoublePointer;
import org.bytedeco.javacpp.Pointer;

/**
 * A few numbers in memory of the host that a card writes to. ND4J takes 150 µs to read a number of
 * an array; this takes 10.
 */
final class HostNumbers {

  private static final int USUAL = 256;

  /** Those that nobody uses at present: there are as many as were ever in use at a time. */
  private static final Queue<HostNumbers> FREE = new ConcurrentLinkedQueue<>();

  private final DoublePointer numbers;

  private HostNumbers(int count) {
    Pointer start = new Pointer();
    check(cudaMallocHost(start, (long) count * Double.BYTES));
    this.numbers = new DoublePointer(start).capacity(count);
  }

  /** Room for some numbers, which is the caller's until it reads them. */
  static HostNumbers of(int count) {
    HostNumbers free = FREE.poll();
    if (free != null && free.numbers.capacity() < count) {
      check(cudaFreeHost(free.numbers));
      free = null;
    }
    return free != null ? free : new HostNumbers(Math.max(count, USUAL));
  }

  /** Where they lie, for the card as for the host. */
  long address() {
    return numbers.address();
  }

  /** Waits until everything that is queued is done, reads them, and leaves the room to the next. */
  double[] read(CUstream_st stream, int count) {
    check(cudaStreamSynchronize(stream));
    double[] result = new double[count];
    numbers.get(result);
    FREE.add(this);
    return result;
  }

  private static void check(int status) {
    if (status != cudaSuccess) {
      throw new IllegalStateException("CUDA failed at reading numbers, with status " + status);
    }
  }
}
