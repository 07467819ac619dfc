/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.features;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** Batches of arrays as rows of floats, and back. */
final class Rows {

  private Rows() {}

  static long[] withoutFirst(long[] shape) {
    return Arrays.copyOfRange(shape, 1, shape.length);
  }

  static long[] withFirst(long first, long[] rest) {
    long[] shape = new long[rest.length + 1];
    shape[0] = first;
    System.arraycopy(rest, 0, shape, 1, rest.length);
    return shape;
  }

  /** The number of elements of a shape. */
  static int length(long[] shape) {
    return Math.toIntExact(Arrays.stream(shape).reduce(1, Math::multiplyExact));
  }

  /** Each example of a batch, in C order. */
  static List<float[]> rows(INDArray batch) {
    float[] all = batch.castTo(DataType.FLOAT).dup('c').data().asFloat();
    int examples = (int) batch.size(0);
    int length = all.length / examples;
    List<float[]> rows = new ArrayList<>(examples);
    for (int i = 0; i < examples; i++) {
      rows.add(Arrays.copyOfRange(all, i * length, (i + 1) * length));
    }
    return rows;
  }

  /** A FLOAT array [rows, shape …]. */
  static INDArray batch(List<float[]> rows, long[] shape) {
    int length = length(shape);
    float[] all = new float[Math.multiplyExact(length, rows.size())];
    for (int i = 0; i < rows.size(); i++) {
      System.arraycopy(rows.get(i), 0, all, i * length, length);
    }
    return Nd4j.create(all, withFirst(rows.size(), shape), 'c');
  }
}
