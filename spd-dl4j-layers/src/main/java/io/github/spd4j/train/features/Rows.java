/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.features;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** Batches of arrays as rows of floats, and back. */
final class Rows {

  private Rows() {}

  /** The shape of one example of a batch. */
  static long[] shape(INDArray batch) {
    return Arrays.copyOfRange(batch.shape(), 1, batch.rank());
  }

  /** The number of elements of a shape. */
  static int length(long[] shape) {
    return Math.toIntExact(Arrays.stream(shape).reduce(1, Math::multiplyExact));
  }

  /** Each example of a batch, in C order. */
  static List<float[]> rows(INDArray batch) {
    float[] all = batch.castTo(DataType.FLOAT).dup('c').data().asFloat();
    int length = all.length / (int) batch.size(0);
    List<float[]> rows = new ArrayList<>();
    for (int start = 0; start < all.length; start += length) {
      rows.add(Arrays.copyOfRange(all, start, start + length));
    }
    return rows;
  }

  /** A FLOAT array [rows, shape …]. */
  static INDArray batch(List<float[]> rows, long[] shape) {
    INDArray flat = Nd4j.create(rows.toArray(new float[0][]));
    return flat.reshape(
        LongStream.concat(LongStream.of(rows.size()), Arrays.stream(shape)).toArray());
  }
}
