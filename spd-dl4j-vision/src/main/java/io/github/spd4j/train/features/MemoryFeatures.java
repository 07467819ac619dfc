/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.features;

import java.util.ArrayList;
import java.util.List;
import org.nd4j.linalg.api.ndarray.INDArray;

/** Features on the heap. */
final class MemoryFeatures extends StoredFeatures {

  private final List<float[]> records = new ArrayList<>();
  private long[] shape = {};

  @Override
  void append(INDArray batch) {
    shape = FeatureFormat.shapeOf(batch);
    records.addAll(FeatureFormat.rows(batch));
  }

  @Override
  int complete() {
    return records.size();
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
  void copy(int index, float[] target, int place) {
    float[] record = records.get(index);
    System.arraycopy(record, 0, target, place, record.length);
  }

  @Override
  public void close() {
    // nothing to give back
  }
}
