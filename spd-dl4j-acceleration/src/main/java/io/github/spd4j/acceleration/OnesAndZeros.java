/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.acceleration;

import io.github.spd4j.internal.backend.MatrixStack;
import java.util.HashMap;
import java.util.Map;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.memory.MemoryWorkspace;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.indexing.NDArrayIndex;

/** Ones and zeros that are kept: on a GPU, making them takes longer than using them. */
final class OnesAndZeros {

  private final Map<String, INDArray> arrays = new HashMap<>();

  /** A matrix of ones. */
  MatrixStack ones(DataType type, long rows, long columns) {
    return MatrixStack.of(array(1, type, rows * columns).reshape(rows, columns));
  }

  /** Zeros in a row. */
  INDArray zeros(DataType type, long length) {
    return array(0, type, length);
  }

  private INDArray array(int value, DataType type, long length) {
    String name = type + " " + value;
    INDArray present = arrays.get(name);
    if (present == null || present.length() < length) {
      try (MemoryWorkspace none = Nd4j.getWorkspaceManager().scopeOutOfWorkspaces()) {
        present = Nd4j.createUninitialized(type, length).assign(value);
      }
      arrays.put(name, present);
    }
    return present.length() == length ? present : present.get(NDArrayIndex.interval(0, length));
  }
}
