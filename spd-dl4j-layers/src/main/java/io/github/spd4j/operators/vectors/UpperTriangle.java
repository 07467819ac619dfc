/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.operators.vectors;

import io.github.spd4j.backend.Backend;
import io.github.spd4j.backend.Definitions;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.memory.MemoryWorkspace;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * The isometry between symmetric n×n matrices and vectors of length n(n+1)/2: the upper triangle
 * row by row, the entries off the diagonal times √2, so that the norm of the vector is the
 * Frobenius norm of the matrix.
 *
 * <pre>
 * V = [Y₁₁, √2 Y₁₂, …, √2 Y₁ₙ, Y₂₂, √2 Y₂₃, …, Yₙₙ]
 * </pre>
 */
public final class UpperTriangle {

  /** By size; process-wide, since they are constants that take long to make. */
  private static final Map<Integer, UpperTriangle> BY_SIZE = new ConcurrentHashMap<>();

  private final int n;

  /** For each place of a matrix, row by row, its place in the vector. */
  private final INDArray places;

  /** 1 on the diagonal and √2 off it, in vector order. */
  private final double[] weights;

  /** The triangle of n×n matrices; {@link #of} has it ready. */
  UpperTriangle(int n) {
    this.n = n;
    int[] ofEntries = new int[n * n];
    weights = new double[length(n)];
    int k = 0;
    for (int i = 0; i < n; i++) {
      for (int j = i; j < n; j++, k++) {
        ofEntries[i * n + j] = k;
        ofEntries[j * n + i] = k;
        weights[k] = i == j ? 1 : Math.sqrt(2);
      }
    }
    try (MemoryWorkspace none = Nd4j.getWorkspaceManager().scopeOutOfWorkspaces()) {
      places = Nd4j.createFromArray(ofEntries);
    }
  }

  /**
   * The triangle of n×n matrices.
   *
   * @param n the number of rows, at least 1
   * @return the triangle, made once for each n
   */
  public static UpperTriangle of(int n) {
    return BY_SIZE.computeIfAbsent(n, UpperTriangle::new);
  }

  /**
   * n(n+1)/2, the number of entries of the triangle.
   *
   * @param n the number of rows
   * @return the length of the vector
   */
  public static int length(int n) {
    return Math.toIntExact(n * (n + 1L) / 2);
  }

  /**
   * Defines the map from matrices to vectors, by sums over both triangles: SameDiff has a gradient
   * of sums, and none of reading at places.
   *
   * @param sd where to define it
   * @param matrices symmetric [N, 1, n, n] or [N, n, n]
   * @return [N, n(n+1)/2]
   */
  public SDVariable define(SameDiff sd, SDVariable matrices) {
    SDVariable flat = sd.reshape(matrices, -1, (long) n * n);
    return Definitions.sums(sd, flat, places, length(n))
        .mul(sd.constant(backwardWeights(matrices.dataType())));
  }

  /**
   * 1 on the diagonal and √2 off it, in vector order. Whoever asks has an array of its own, which
   * is on its own card.
   */
  INDArray forwardWeights(DataType type) {
    try (MemoryWorkspace none = Nd4j.getWorkspaceManager().scopeOutOfWorkspaces()) {
      return Nd4j.createFromArray(new double[][] {weights}).castTo(type);
    }
  }

  /** 1 on the diagonal and 1/√2 off it, in vector order: the adjoint's, before both triangles. */
  INDArray backwardWeights(DataType type) {
    return forwardWeights(type).rdivi(1);
  }

  /**
   * The adjoint of the map, which for an isometry is also its inverse: spreads each entry over both
   * triangles, those off the diagonal divided by √2.
   *
   * @param vectors [N, n(n+1)/2]
   * @return symmetric matrices [N, n, n]
   */
  public INDArray adjoint(INDArray vectors) {
    INDArray matrices = Nd4j.create(vectors.dataType(), vectors.size(0), n, n);
    INDArray weighted = vectors.mul(backwardWeights(vectors.dataType()));
    Backend.current().algebra().unpackSymmetric(weighted, matrices);
    return matrices;
  }
}
