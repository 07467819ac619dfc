/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.benchmarks;

import io.github.spd4j.linalg.Matrices;
import io.github.spd4j.linalg.SymmetricEigen;
import java.util.Map;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** Eigenvalues and eigenvectors of a stack of symmetric matrices, in DOUBLE on both sides. */
final class EigenWorkload extends Workload {

  private static final int MATRICES = 32;

  private final INDArray matrices;

  EigenWorkload(int n) {
    super(
        "eigen",
        MATRICES + " of " + n + "²",
        Map.of("count", MATRICES, "n", n),
        Map.of("forward", gflop(n)));
    Nd4j.getRandom().setSeed(1);
    INDArray random = Nd4j.randn(DataType.FLOAT, MATRICES, n, n);
    matrices = Matrices.symmetricPart(random);
  }

  /** To a tridiagonal matrix and back; what lies between depends on the matrices. */
  private static double gflop(int n) {
    return MATRICES * (4 / 3.0 + 2) * n * n * n / 1e9;
  }

  @Override
  Map<String, INDArray> arrays() {
    return Map.of("matrices", matrices);
  }

  @Override
  Map<String, INDArray> results() {
    return Map.of("values", SymmetricEigen.of(matrices).values().castTo(DataType.FLOAT));
  }

  @Override
  void run(String what) {
    SymmetricEigen.of(matrices);
  }
}
