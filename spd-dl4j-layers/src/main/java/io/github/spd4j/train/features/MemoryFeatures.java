/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.features;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.nd4j.linalg.api.ndarray.INDArray;

/** Features on the heap. */
final class MemoryFeatures implements StoredFeatures {

  private final List<float[]> records = new ArrayList<>();
  private long[] shape = {};

  @Override
  public void append(INDArray batch) {
    shape = Rows.shape(batch);
    records.addAll(Rows.rows(batch));
  }

  @Override
  public int complete() {
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
  public INDArray batch(int... indices) {
    return Rows.batch(
        Arrays.stream(indices).mapToObj(records::get).collect(Collectors.toList()), shape);
  }

  @Override
  public void close() {
    // nothing to give back
  }
}
