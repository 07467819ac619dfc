/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.encoding;

import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.indexing.NDArrayIndex;

/** Rows taken a few thousand at a time, in double precision, so that many of them need no copy. */
final class Blocks {

  private static final int ROWS = 4096;

  /** Is given block after block. */
  interface Reader {
    /**
     * Takes a block.
     *
     * @param first the number of its first row
     * @param block DOUBLE [n, D], a copy
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

  /** Some rows in double precision, a copy. */
  static INDArray rows(INDArray rows, int first, int end) {
    INDArray part = rows.get(NDArrayIndex.interval(first, end), NDArrayIndex.all());
    return part.reshape(end - first, rows.columns()).dup('c').castTo(DataType.DOUBLE);
  }
}
