/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.encoding;

import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.indexing.NDArrayIndex;

/** Rows taken a few thousand at a time, so that what is made of them needs little memory. */
final class Blocks {

  private static final int ROWS = 4096;

  /** Is given block after block. */
  interface Reader {
    /**
     * Takes a block.
     *
     * @param first the number of its first row
     * @param block DOUBLE [n, D], not to be changed
     */
    void read(int first, INDArray block);
  }

  private Blocks() {}

  static void of(INDArray rows, Reader reader) {
    int count = rows.rows();
    for (int first = 0; first < count; first += ROWS) {
      reader.read(first, rows(rows, first, Math.min(first + ROWS, count)));
    }
  }

  /** Some rows in double precision, a view if they are. */
  static INDArray rows(INDArray rows, int first, int end) {
    INDArray part = rows.get(NDArrayIndex.interval(first, end), NDArrayIndex.all());
    return part.reshape(end - first, rows.columns()).castTo(DataType.DOUBLE);
  }
}
