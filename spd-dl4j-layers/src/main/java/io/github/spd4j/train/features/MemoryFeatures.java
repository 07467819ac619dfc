/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.features;

import java.util.ArrayList;
import java.util.List;
import org.nd4j.linalg.api.ndarray.INDArray;

/** Features on the heap. */
final class MemoryFeatures implements Features {

  private final List<float[]> records = new ArrayList<>();
  private long[] shape = {};

  void append(INDArray batch) {
    shape = Rows.withoutFirst(batch.shape());
    records.addAll(Rows.rows(batch));
  }

  @Override
  public int size() {
    return records.size();
  }

  @Override
  public long[] shape() {
    return shape.clone();
  }

  @Override
  public INDArray batch(int... indices) {
    List<float[]> rows = new ArrayList<>(indices.length);
    for (int index : indices) {
      rows.add(records.get(index));
    }
    return Rows.batch(rows, shape);
  }

  @Override
  public void close() {
    // nothing to give back
  }
}
