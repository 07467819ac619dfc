/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.backend;

import java.util.Arrays;
import java.util.Objects;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * What public functions ask of their arguments. What does not fit is refused by its name: {@code
 * "matrices: expected …, got …"}. No check reads the numbers of an array.
 */
public final class Arguments {

  private Arguments() {}

  /**
   * A refusal.
   *
   * @param name the name of the argument
   * @param expected what is expected
   * @param got what was given
   * @return an exception to throw
   */
  public static IllegalArgumentException refused(String name, String expected, Object got) {
    return new IllegalArgumentException(name + ": expected " + expected + ", got " + got);
  }

  /**
   * Refuses what is no array of FLOAT or DOUBLE, and empty arrays.
   *
   * @param array an array
   * @param name the name of the argument
   * @return the array
   */
  public static INDArray numbers(INDArray array, String name) {
    Objects.requireNonNull(array, name);
    type(array.dataType(), name);
    if (array.isEmpty() || array.length() == 0) {
      throw refused(name, "numbers", "an empty array");
    }
    return array;
  }

  /**
   * Refuses what is no matrix.
   *
   * @param array [m, n]
   * @param name the name of the argument
   * @return the array
   */
  public static INDArray matrix(INDArray array, String name) {
    if (numbers(array, name).rank() != 2) {
      throw refused(name, "a matrix", shape(array));
    }
    return array;
  }

  /**
   * Refuses what is neither a matrix nor a stack of matrices.
   *
   * @param array [m, n] or [N, m, n]
   * @param name the name of the argument
   * @return the array
   */
  public static INDArray matrices(INDArray array, String name) {
    if (numbers(array, name).rank() != 2 && array.rank() != 3) {
      throw refused(name, "a matrix [m, n] or a stack [N, m, n]", shape(array));
    }
    return array;
  }

  /**
   * Refuses what is no square matrix.
   *
   * @param array [n, n]
   * @param name the name of the argument
   * @return the array
   */
  public static INDArray square(INDArray array, String name) {
    if (numbers(array, name).rank() != 2 || array.size(0) != array.size(1)) {
      throw refused(name, "a square matrix [n, n]", shape(array));
    }
    return array;
  }

  /**
   * Refuses what is neither a square matrix nor a stack of square matrices.
   *
   * @param array [n, n] or [N, n, n]
   * @param name the name of the argument
   * @return the array
   */
  public static INDArray squares(INDArray array, String name) {
    int rank = numbers(array, name).rank();
    if (rank < 2 || rank > 3 || array.size(-1) != array.size(-2)) {
      throw refused(name, "a matrix [n, n] or a stack [N, n, n]", shape(array));
    }
    return array;
  }

  /**
   * Refuses an array of another shape.
   *
   * @param array an array
   * @param name the name of the argument
   * @param like an array of the right shape
   * @return the array
   */
  public static INDArray shaped(INDArray array, String name, INDArray like) {
    if (!Arrays.equals(numbers(array, name).shape(), like.shape())) {
      throw refused(name, shape(like), shape(array));
    }
    return array;
  }

  /**
   * Refuses what is not FLOAT or DOUBLE.
   *
   * @param type a type
   * @param name the name of the argument
   * @return the type
   */
  public static DataType type(DataType type, String name) {
    if (Objects.requireNonNull(type, name) != DataType.FLOAT && type != DataType.DOUBLE) {
      throw refused(name, "FLOAT or DOUBLE", type);
    }
    return type;
  }

  /**
   * Refuses NaN and infinity.
   *
   * @param number a number
   * @param name the name of the argument
   * @return the number
   */
  public static double finite(double number, String name) {
    if (!Double.isFinite(number)) {
      throw refused(name, "a finite number", number);
    }
    return number;
  }

  /**
   * Refuses a number that is too small, and NaN.
   *
   * @param number a number
   * @param least the least it may be
   * @param name the name of the argument
   * @return the number
   */
  public static double atLeast(double number, double least, String name) {
    if (!(number >= least)) {
      throw refused(name, "at least " + least, number);
    }
    return number;
  }

  /**
   * Refuses a count that is too small.
   *
   * @param count a count
   * @param least the least it may be
   * @param name the name of the argument
   * @return the count
   */
  public static long atLeast(long count, long least, String name) {
    if (count < least) {
      throw refused(name, "at least " + least, count);
    }
    return count;
  }

  /** For people. */
  private static String shape(INDArray array) {
    return "shape " + Arrays.toString(array.shape());
  }
}
