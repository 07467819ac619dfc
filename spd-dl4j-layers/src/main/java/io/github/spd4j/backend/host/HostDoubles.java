/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.backend.host;

import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/** The numbers of arrays in double precision, as LAPACK takes them. */
public final class HostDoubles {

  private HostDoubles() {}

  /**
   * All numbers of an array on any device, row by row.
   *
   * @param array any array, of at most 2³¹ − 1 bytes as DOUBLE
   * @return a copy, which ND4J would make one number at a time
   */
  public static double[] of(INDArray array) {
    double[] numbers = new double[Math.toIntExact(array.length())];
    // a copy begins where its memory does
    array.castTo(DataType.DOUBLE).dup('c').data().asNioDouble().get(numbers);
    return numbers;
  }
}
