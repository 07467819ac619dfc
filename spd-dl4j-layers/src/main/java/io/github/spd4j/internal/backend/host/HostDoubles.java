/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.backend.host;

import java.lang.ref.Reference;
import java.util.Arrays;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.api.ops.executioner.OpExecutioner.ExecutionerType;
import org.nd4j.linalg.factory.Nd4j;

/** The numbers of arrays in double precision, as LAPACK takes them. */
public final class HostDoubles {

  private static final int MOST_IN_BUFFER = Integer.MAX_VALUE / Double.BYTES;

  private HostDoubles() {}

  /**
   * Whether a DOUBLE array lies in main memory, where its address can be used.
   *
   * @param array any array
   * @return false for other types and for a GPU
   */
  static boolean isPossible(INDArray array) {
    return array.dataType() == DataType.DOUBLE
        && Nd4j.getExecutioner().type() == ExecutionerType.NATIVE_CPU;
  }

  /**
   * All numbers of an array on any device, row by row.
   *
   * @param array any array of at most 2³¹ − 1 numbers
   * @return a copy, which ND4J would make one number at a time
   */
  public static double[] of(INDArray array) {
    INDArray copy = array.castTo(DataType.DOUBLE).dup('c'); // begins where its memory does
    if (copy.length() > MOST_IN_BUFFER) {
      return copy.reshape(copy.length()).toDoubleVector();
    }
    double[] numbers = new double[Math.toIntExact(copy.length())];
    copy.data().asNioDouble().get(numbers);
    Reference.reachabilityFence(copy); // its memory is given back with it
    if (copy.closeable()) {
      copy.close();
    }
    return numbers;
  }

  /**
   * The rows of a matrix on any device.
   *
   * @param matrix [rows, columns] of at most 2³¹ − 1 numbers
   * @return a copy
   */
  public static double[][] rowsOf(INDArray matrix) {
    double[] numbers = of(matrix);
    int columns = Math.toIntExact(matrix.size(1));
    double[][] rows = new double[Math.toIntExact(matrix.size(0))][];
    Arrays.setAll(rows, i -> Arrays.copyOfRange(numbers, i * columns, (i + 1) * columns));
    return rows;
  }
}
