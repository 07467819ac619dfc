/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.benchmarks;

import java.util.Map;
import org.nd4j.linalg.api.ndarray.INDArray;

/** Something that both sides can compute. */
interface Workload {

  /** What the other side calls it. */
  String kind();

  /** The other side's settings, beside the folder with the arrays. */
  Map<String, Object> settings();

  /** The arrays that the other side is to compute with, by the names of their files. */
  default Map<String, INDArray> arrays() {
    return Map.of();
  }

  /** What is to agree with the other side, by the names of the files that it writes. */
  default Map<String, INDArray> results() {
    return Map.of();
  }

  /** Computes once what the other side calls by the same name: forward, or step. */
  void run(String what);

  /** The counted arithmetic of one run. */
  double gflop(String what);

  /** Its size, for readers. */
  String size();
}
