/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.benchmarks;

import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** The product of two square matrices, for the rate that the library reaches. */
final class SquareProduct {

  private final INDArray a;
  private final INDArray b;
  private final INDArray result;

  SquareProduct(int size) {
    a = Nd4j.randn(DataType.FLOAT, size, size);
    b = Nd4j.randn(DataType.FLOAT, size, size);
    result = Nd4j.create(DataType.FLOAT, new long[] {size, size}, 'f');
  }

  void run() {
    Nd4j.gemm(a, b, result, false, false, 1, 0);
  }
}
