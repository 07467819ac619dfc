/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.benchmarks;

import java.util.Map;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** The product of two square matrices, for the rate that each side reaches. */
final class ProductWorkload extends Workload {

  private static final int SIZE = 1024;

  private final INDArray a = Nd4j.randn(DataType.FLOAT, SIZE, SIZE);
  private final INDArray b = Nd4j.randn(DataType.FLOAT, SIZE, SIZE);
  private final INDArray result = Nd4j.create(DataType.FLOAT, new long[] {SIZE, SIZE}, 'f');

  ProductWorkload() {
    super(
        "product", SIZE + "³", Map.of("size", SIZE), Map.of("forward", 2e-9 * SIZE * SIZE * SIZE));
  }

  @Override
  void run(String what) {
    Nd4j.gemm(a, b, result, false, false, 1, 0);
  }
}
