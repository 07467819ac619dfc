/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.operators.vectors;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.memory.MemoryWorkspace;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.api.ops.DynamicCustomOp;
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

  private static final Map<Integer, UpperTriangle> BY_SIZE = new ConcurrentHashMap<>();

  private final int n;

  /** For each place of the vector, its place in the matrix (row by row). */
  private final INDArray matrixIndex;

  /** For each place of the matrix, its place in the vector. */
  private final INDArray vectorIndex;

  /** 1 on the diagonal and √2 off it, in vector order. */
  private final double[] forward;

  /** 1 on the diagonal and 1/√2 off it, in matrix order, as a row. */
  private final INDArray backwardWeights;

  /** 1 on the diagonal and 1/√2 off it, in vector order. */
  private final double[] spreading;

  private UpperTriangle(int n) {
    this.n = n;
    int[] matrixPlaces = new int[length(n)];
    int[] vectorPlaces = new int[n * n];
    forward = new double[length(n)];
    double[] backward = new double[n * n];
    spreading = new double[length(n)];
    int k = 0;
    for (int i = 0; i < n; i++) {
      for (int j = i; j < n; j++, k++) {
        matrixPlaces[k] = i * n + j;
        vectorPlaces[i * n + j] = k;
        vectorPlaces[j * n + i] = k;
        forward[k] = i == j ? 1 : Math.sqrt(2);
        spreading[k] = i == j ? 1 : Math.sqrt(0.5);
        backward[i * n + j] = i == j ? 1 : Math.sqrt(0.5);
        backward[j * n + i] = backward[i * n + j];
      }
    }
    try (MemoryWorkspace none = Nd4j.getWorkspaceManager().scopeOutOfWorkspaces()) {
      matrixIndex = Nd4j.createFromArray(matrixPlaces);
      vectorIndex = Nd4j.createFromArray(vectorPlaces);
      backwardWeights = Nd4j.createFromArray(new double[][] {backward});
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
   * Defines the map from matrices to vectors.
   *
   * @param sd where to define it
   * @param matrices [N, 1, n, n] or [N, n, n]; only the upper triangle is read
   * @return [N, n(n+1)/2]
   */
  public SDVariable define(SameDiff sd, SDVariable matrices) {
    SDVariable flat = sd.reshape(matrices, -1, (long) n * n);
    SDVariable triangle = sd.gather(flat, sd.constant(matrixIndex), 1);
    return triangle.mul(sd.constant(forwardWeights(matrices.dataType())));
  }

  /** n, the number of rows. */
  int size() {
    return n;
  }

  /** √2 off the diagonal and 1 on it, in vector order, as a new row of a type. */
  INDArray forwardWeights(DataType type) {
    return row(forward, type);
  }

  /** 1/√2 off the diagonal and 1 on it, in vector order: the adjoint's, before both triangles. */
  INDArray spreadingWeights(DataType type) {
    return row(spreading, type);
  }

  /** Whoever asks has an array of its own, which is on its own card. */
  private static INDArray row(double[] numbers, DataType type) {
    try (MemoryWorkspace none = Nd4j.getWorkspaceManager().scopeOutOfWorkspaces()) {
      return Nd4j.createFromArray(new double[][] {numbers}).castTo(type);
    }
  }

  /**
   * The adjoint of the map, which for an isometry is also its inverse: spreads each entry over both
   * triangles, those off the diagonal divided by √2.
   *
   * @param vectors [N, n(n+1)/2]
   * @return symmetric matrices [N, n, n]
   */
  public INDArray adjoint(INDArray vectors) {
    DataType type = vectors.dataType();
    INDArray flat =
        Nd4j.exec(
            DynamicCustomOp.builder("gather")
                .addInputs(vectors, vectorIndex)
                .addIntegerArguments(1)
                .build())[0];
    return flat.muli(backwardWeights.castTo(type)).reshape(vectors.size(0), n, n);
  }
}
