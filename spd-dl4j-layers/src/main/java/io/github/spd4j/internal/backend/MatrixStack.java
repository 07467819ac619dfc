/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.backend;

import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.indexing.INDArrayIndex;
import org.nd4j.linalg.indexing.NDArrayIndex;

/**
 * Matrices of one size at equal distances in the memory of an array: the operands of a {@link
 * Algebra}. Matrix k has its entry (i, j) at place {@code offset + k · step + i · pitch + j}.
 */
public final class MatrixStack {

  private final INDArray array;
  private final long offset;
  private final int rows;
  private final int columns;
  private final int pitch;
  private final long step;
  private final boolean transposed;

  private MatrixStack(
      INDArray array,
      long offset,
      int rows,
      int columns,
      int pitch,
      long step,
      boolean transposed) {
    this.array = array;
    this.offset = offset;
    this.rows = rows;
    this.columns = columns;
    this.pitch = pitch;
    this.step = step;
    this.transposed = transposed;
  }

  /**
   * The matrices of an array.
   *
   * @param array [N, rows, columns], or [rows, columns] for one that is used N times; its elements
   *     lie in memory in the order of their indices
   * @return the stack
   */
  public static MatrixStack of(INDArray array) {
    int first = array.rank() - 2;
    if (first < 0 || first > 1 || !isInOrder(array)) {
      throw new IllegalArgumentException(
          "expected a matrix or a stack of matrices in C order, got " + array.shapeInfoToString());
    }
    int rows = Math.toIntExact(array.size(first));
    int columns = Math.toIntExact(array.size(first + 1));
    long step = first == 0 ? 0 : (long) rows * columns;
    return new MatrixStack(array, 0, rows, columns, columns, step, false);
  }

  /**
   * Whether the elements of an array lie in memory in the order of their indices, without gaps.
   *
   * @param array any array
   * @return true if so
   */
  public static boolean isInOrder(INDArray array) {
    long expected = 1;
    for (int i = array.rank() - 1; i >= 0; i--) {
      if (array.size(i) != 1 && array.stride(i) != expected) {
        return false;
      }
      expected *= array.size(i);
    }
    return true;
  }

  /**
   * The array itself if its elements lie in memory in the order of their indices, or a copy of
   * which that is true.
   *
   * @param array any array, not changed
   * @return an array to read from
   */
  public static INDArray inOrder(INDArray array) {
    return isInOrder(array) ? array : array.dup('c');
  }

  /**
   * A stack as one matrix, with a row for each of its matrices.
   *
   * @param stack [N, m, n] in C order
   * @return a view [N, m·n]
   */
  public static INDArray byImage(INDArray stack) {
    return stack.reshape(stack.size(0), stack.size(1) * stack.size(2));
  }

  /**
   * The diagonals of square matrices.
   *
   * @param stack [N, n, n] in C order
   * @return a view [N, n]
   */
  public static INDArray diagonals(INDArray stack) {
    long n = stack.size(2);
    INDArrayIndex along = NDArrayIndex.interval(0, Math.min(n + 1, n * n), n * n);
    return byImage(stack).get(NDArrayIndex.all(), along);
  }

  /**
   * Some of the columns of each matrix.
   *
   * @param from the first
   * @param to the one after the last
   * @return another view of the same memory
   */
  public MatrixStack columns(int from, int to) {
    if (transposed || from < 0 || to > columns || from >= to) {
      throw new IllegalArgumentException(
          "expected columns within 0 … " + columns + ", got " + from + " … " + to);
    }
    return new MatrixStack(array, offset + from, rows, to - from, pitch, step, false);
  }

  /**
   * The transposed matrices.
   *
   * @return another view of the same memory
   */
  public MatrixStack transpose() {
    return new MatrixStack(array, offset, columns, rows, pitch, step, !transposed);
  }

  /**
   * The array that the matrices lie in.
   *
   * @return the array
   */
  public INDArray array() {
    return array;
  }

  /**
   * The place of the first entry.
   *
   * @return counted from the first element of the array
   */
  public long offset() {
    return offset;
  }

  /**
   * The rows of a matrix.
   *
   * @return the number of rows
   */
  public int rows() {
    return rows;
  }

  /**
   * The columns of a matrix.
   *
   * @return the number of columns
   */
  public int columns() {
    return columns;
  }

  /**
   * How far apart two rows (of transposed matrices: two columns) are in memory.
   *
   * @return a number of elements
   */
  public int pitch() {
    return pitch;
  }

  /**
   * How far apart two matrices are in memory.
   *
   * @return a number of elements; 0 if all are the same
   */
  public long step() {
    return step;
  }

  /**
   * Whether the matrices lie in memory column by column.
   *
   * @return true if so
   */
  public boolean isTransposed() {
    return transposed;
  }

  /**
   * Whether this is a stack of matrices that fills its array.
   *
   * @return false for a single matrix, which counts for all, and for a part of the columns
   */
  boolean isWholeStack() {
    return step > 0 && pitch == (transposed ? rows : columns);
  }

  /**
   * One of the matrices as a view.
   *
   * @param index which
   * @return [rows, columns]
   */
  INDArray matrix(int index) {
    INDArray plain = step == 0 ? array : array.slice(index);
    int width = transposed ? rows : columns;
    if (width != pitch) {
      plain = plain.get(NDArrayIndex.all(), NDArrayIndex.interval(offset, offset + width));
    }
    return transposed ? plain.transpose() : plain;
  }
}
