/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.backend.host;

import io.github.spd4j.internal.backend.MatrixStack;
import java.nio.FloatBuffer;
import org.bytedeco.javacpp.FloatPointer;
import org.bytedeco.javacpp.Pointer;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.api.ops.executioner.OpExecutioner.ExecutionerType;
import org.nd4j.linalg.factory.Nd4j;

/**
 * The numbers of a FLOAT array in the host's memory, for loops in Java.
 *
 * <p>Elementwise work on stacks of matrices is bound by memory: each operation of ND4J goes over
 * all of it once more, and takes the whole matrix where half of a symmetric one would do. A loop
 * that reads a matrix, does everything to it, and writes it, goes over it once. It works in Java
 * arrays, which the compiler turns into vector instructions, and copies in bulk.
 *
 * <p>Reading and writing may happen on many threads at once.
 */
public final class HostFloats {

  /** How many numbers are copied at once: few enough to stay near the processor. */
  private static final int BLOCK = 4096;

  private final Numbers first;

  /**
   * The numbers of an array, row by row.
   *
   * @param array a {@linkplain MatrixStack#inOrder dense} one for which there {@linkplain
   *     #isPossible is} such access
   */
  public HostFloats(INDArray array) {
    this.first = new Numbers(array.data().addressPointer(), array);
  }

  /**
   * Whether there is such access: to FLOAT arrays of the CPU's backend.
   *
   * @param array any array
   * @return false for other types and for a GPU
   */
  public static boolean isPossible(INDArray array) {
    return array.dataType() == DataType.FLOAT
        && Nd4j.getExecutioner().type() == ExecutionerType.NATIVE_CPU;
  }

  /**
   * Copies numbers out of the array.
   *
   * @param from the first
   * @param target where to put them
   * @param count how many
   */
  public void read(long from, float[] target, int count) {
    at(from).get(target, 0, count);
  }

  /**
   * Copies numbers into the array.
   *
   * @param source what to write
   * @param to the first place
   * @param count how many
   */
  public void write(float[] source, long to, int count) {
    at(to).put(source, 0, count);
  }

  /**
   * The memory of the array, for a library that reads or writes it.
   *
   * @return all numbers, while something refers to the array
   */
  public FloatBuffer memory() {
    return new Numbers(first, first.owner).capacity(first.owner.length()).asBuffer();
  }

  /**
   * The sum of the squares of some numbers. BLAS's own adds up floats on most processors.
   *
   * @param from the first
   * @param count how many
   * @return the sum, in double precision
   */
  public double sumOfSquares(long from, long count) {
    float[] block = new float[(int) Math.min(BLOCK, count)];
    double sum = 0;
    for (long done = 0; done < count; done += BLOCK) {
      int length = (int) Math.min(BLOCK, count - done);
      read(from + done, block, length);
      sum += FloatMatrices.dot(block, block, 0, length);
    }
    return sum;
  }

  /** A pointer of the caller's own, since its position changes. */
  FloatPointer at(long place) {
    return new Numbers(first, first.owner).position(place);
  }

  /**
   * A pointer that keeps the array whose memory it is: what a native function is given is reachable
   * until it returns, and memory is not freed before its array can be collected.
   */
  private static final class Numbers extends FloatPointer {
    private final INDArray owner;

    Numbers(Pointer address, INDArray owner) {
      super(address);
      this.owner = owner;
    }

    /** JavaCPP knows the sizes of its own classes only. */
    @Override
    public int sizeof() {
      return Float.BYTES;
    }
  }
}
