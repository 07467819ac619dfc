/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.benchmarks;

import java.util.Map;
import org.nd4j.linalg.api.ndarray.INDArray;

/** Something that both sides can compute. */
abstract class Workload {

  /** What the other side calls it. */
  final String kind;

  /** Its size, for readers. */
  final String size;

  /** The other side's settings, beside the folder with the arrays. */
  final Map<String, Object> settings;

  /** The counted arithmetic of each of its runs, by name. */
  final Map<String, Double> gflop;

  Workload(String kind, String size, Map<String, Object> settings, Map<String, Double> gflop) {
    this.kind = kind;
    this.size = size;
    this.settings = settings;
    this.gflop = gflop;
  }

  /** The arrays that the other side is to compute with, by the names of their files. */
  Map<String, INDArray> arrays() {
    return Map.of();
  }

  /** What is to agree with the other side, by the names of the files that it writes. */
  Map<String, INDArray> results() {
    return Map.of();
  }

  /** Computes once what the other side calls by the same name: forward, or step. */
  abstract void run(String what);
}
