/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.onnx;

import java.util.Map;

/** What people are told about what the standard operators of ONNX do not have. */
final class Refusals {

  private static final String REMEDY =
      ", which the standard operators of ONNX do not have; the nearest that they have is the matrix"
          + " square root by Newton–Schulz iterations: Head.covarianceRoot() or Head.spdRoot(), the"
          + " methods isqrt-cov and spd-root";

  static final String EIGENVALUES = "it needs eigenvalues or Cholesky factors" + REMEDY;

  private static final Map<String, String> OPERATIONS =
      Map.of(
          "svd", "it needs eigenvalues" + REMEDY,
          "cholesky", "it needs Cholesky factors" + REMEDY,
          "matrix_inverse", "it needs Cholesky factors" + REMEDY);

  private Refusals() {}

  /** What to say about an operation of SameDiff that has no translation. */
  static String of(String operation) {
    return OPERATIONS.getOrDefault(
        operation, "its definition has the operation " + operation + ", without a translation");
  }
}
