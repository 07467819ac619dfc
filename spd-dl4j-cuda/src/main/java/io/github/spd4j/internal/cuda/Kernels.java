/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.cuda;

import static org.bytedeco.cuda.global.cudart.CUDA_SUCCESS;
import static org.bytedeco.cuda.global.cudart.cuCtxGetDevice;
import static org.bytedeco.cuda.global.cudart.cuDeviceGetAttribute;
import static org.bytedeco.cuda.global.cudart.cuFuncGetAttribute;
import static org.bytedeco.cuda.global.cudart.cuFuncSetAttribute;
import static org.bytedeco.cuda.global.cudart.cuLaunchKernel;
import static org.bytedeco.cuda.global.cudart.cuModuleGetFunction;
import static org.bytedeco.cuda.global.cudart.cuModuleLoadData;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.bytedeco.cuda.cudart.CUfunc_st;
import org.bytedeco.cuda.cudart.CUmod_st;
import org.bytedeco.cuda.cudart.CUstream_st;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.IntPointer;
import org.bytedeco.javacpp.LongPointer;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.PointerPointer;

/**
 * The functions of {@code kernels.cu} on one card. The driver compiles them for it when they are
 * first asked for, and keeps the result on disk.
 *
 * <p>For one thread at a time.
 */
final class Kernels {

  static final String RESOURCE = "kernels.ptx";

  private static final int MAX_ARGUMENTS = 16;

  /** Attributes of the driver, by its numbers for them. */
  private static final int SHARED_MEMORY_OF_CARD = 97;

  private static final int COMPUTE_CAPABILITY = 75;

  /** The first whose tensor cores take TF32 and BFLOAT16. */
  private static final int TENSOR_CORES = 8;

  private static final int SHARED_MEMORY_DECLARED = 1;
  private static final int SHARED_MEMORY_ASKED_FOR = 8;

  private final CUmod_st module = new CUmod_st();
  private final Map<String, CUfunc_st> functions = new HashMap<>();
  private final Map<String, Integer> shared = new HashMap<>();

  /** The arguments of a launch, which the driver copies before it returns, and their addresses. */
  private final LongPointer arguments = new LongPointer(MAX_ARGUMENTS);

  private final LongPointer addresses = new LongPointer(MAX_ARGUMENTS);

  private final PointerPointer<LongPointer> table = new PointerPointer<>((Pointer) addresses);

  /** Loads them on the card of the calling thread. */
  Kernels() {
    try (InputStream stream = Kernels.class.getResourceAsStream(RESOURCE);
        BytePointer text =
            new BytePointer(new String(stream.readAllBytes(), StandardCharsets.US_ASCII))) {
      check(cuModuleLoadData(module, text), RESOURCE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    for (int i = 0; i < MAX_ARGUMENTS; i++) {
      addresses.put(i, arguments.address() + i * (long) Long.BYTES);
    }
  }

  /**
   * Starts a function and does not wait for it.
   *
   * @param name its name
   * @param grid how many blocks
   * @param threads how many threads in a block
   * @param stream where to queue it
   * @param values its arguments in order, numbers by their bits
   */
  void launch(String name, Shape grid, Shape threads, CUstream_st stream, long... values) {
    if (values.length > MAX_ARGUMENTS) {
      throw new IllegalArgumentException(
          name + " has " + values.length + " arguments, expected at most " + MAX_ARGUMENTS);
    }
    CUfunc_st function = functions.computeIfAbsent(name, this::find);
    arguments.put(values, 0, values.length);
    int status =
        cuLaunchKernel(
            function,
            grid.x,
            grid.y,
            grid.z,
            threads.x,
            threads.y,
            threads.z,
            threads.shared,
            stream,
            table,
            null);
    check(status, name);
  }

  /**
   * Lets a function have as much of the memory that the threads of a block share as the card has.
   *
   * @param name its name
   * @return so many bytes, beside those that it declares itself
   */
  int sharedMemory(String name) {
    return shared.computeIfAbsent(
        name,
        any -> {
          CUfunc_st function = functions.computeIfAbsent(name, this::find);
          try (IntPointer number = new IntPointer(1)) {
            check(cuCtxGetDevice(number), name);
            check(cuDeviceGetAttribute(number, SHARED_MEMORY_OF_CARD, number.get()), name);
            int all = number.get();
            check(cuFuncGetAttribute(number, SHARED_MEMORY_DECLARED, function), name);
            int rest = all - number.get();
            check(cuFuncSetAttribute(function, SHARED_MEMORY_ASKED_FOR, rest), name);
            return rest;
          }
        });
  }

  /** Whether a card multiplies TF32 and BFLOAT16 faster than FLOAT. */
  static boolean hasTensorCores(int card) {
    try (IntPointer number = new IntPointer(1)) {
      check(cuDeviceGetAttribute(number, COMPUTE_CAPABILITY, card), "the card");
      return number.get() >= TENSOR_CORES;
    }
  }

  private CUfunc_st find(String name) {
    CUfunc_st function = new CUfunc_st();
    check(cuModuleGetFunction(function, module, name), name);
    return function;
  }

  private static void check(int status, String what) {
    if (status != CUDA_SUCCESS) {
      throw new IllegalStateException("CUDA failed at " + what + ", with status " + status);
    }
  }

  /** Numbers of blocks or threads, and the bytes of memory that the threads share. */
  static final class Shape {
    final int x;
    final int y;
    final int z;
    final int shared;

    Shape(long x, long y, long z) {
      this(x, y, z, 0);
    }

    private Shape(long x, long y, long z, long shared) {
      this.x = Math.toIntExact(x);
      this.y = Math.toIntExact(y);
      this.z = Math.toIntExact(z);
      this.shared = Math.toIntExact(shared);
    }

    Shape sharing(long bytes) {
      return new Shape(x, y, z, bytes);
    }

    static Shape of(long x) {
      return new Shape(x, 1, 1);
    }
  }
}
