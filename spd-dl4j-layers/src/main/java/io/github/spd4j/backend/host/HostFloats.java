/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.backend.host;

import io.github.spd4j.backend.MatrixStack;
import java.lang.ref.Reference;
import org.bytedeco.javacpp.FloatPointer;
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

  /** Whose memory it is: as long as it is reachable, the memory is not freed. */
  private final INDArray array;

  private final FloatPointer first;

  /**
   * The numbers of an array, row by row.
   *
   * @param array a {@linkplain MatrixStack#inOrder dense} one for which there {@linkplain
   *     #isPossible is} such access
   */
  public HostFloats(INDArray array) {
    this.array = array;
    this.first = new FloatPointer(array.data().addressPointer());
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
    keep();
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
    keep();
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
      sum += Squares.dot(block, block, 0, length);
    }
    return sum;
  }

  /** To be called after the last use of a pointer: until then the memory is not freed. */
  void keep() {
    Reference.reachabilityFence(array);
  }

  /** A pointer of the caller's own, since its position changes. */
  FloatPointer at(long place) {
    return new FloatPointer(first).position(place);
  }
}
