/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.vectors;

import io.github.spd4j.internal.backend.ForwardPass;
import io.github.spd4j.internal.backend.Scratch;
import io.github.spd4j.internal.backend.host.FloatMatrices;
import io.github.spd4j.internal.backend.host.HostFloats;
import io.github.spd4j.internal.backend.host.Workers;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * {@link Vectors} for FLOAT arrays in the host's memory, in one pass over each matrix. The backward
 * pass computes the vectors again, which is cheaper than to keep them.
 */
final class VectorsHost implements Vectors {

  private static final float ROOT_OF_2 = (float) Math.sqrt(2);
  private static final float ROOT_OF_HALF = (float) Math.sqrt(0.5);

  private final VectorNormalizationHost normalization;

  VectorsHost(VectorNormalization normalization) {
    this.normalization = new VectorNormalizationHost(normalization);
  }

  @Override
  public void forward(INDArray matrices, INDArray vectors, ForwardPass saved) {
    saved.keep("matrices", matrices);
    int n = (int) matrices.size(1);
    int length = Triangle.length(n);
    HostFloats from = new HostFloats(matrices);
    HostFloats to = new HostFloats(vectors);
    try (Scratch scratch = Scratch.shared()) {
      float[][] matrix = scratch.heaps("matrix", n * n);
      float[][] vector = scratch.heaps("vector", length);
      Workers.share(
          (int) matrices.size(0),
          (worker, first, end) -> {
            float[] u = vector[worker];
            for (int i = first; i < end; i++) {
              from.read((long) i * n * n, matrix[worker], n * n);
              compute(matrix[worker], n, u);
              normalization.finish(u, length);
              to.write(u, (long) i * length, length);
            }
          });
    }
  }

  @Override
  public void backward(INDArray gradient, INDArray matricesGradient, ForwardPass saved) {
    INDArray matrices = saved.get("matrices");
    int n = (int) matrices.size(1);
    int length = Triangle.length(n);
    HostFloats from = new HostFloats(matrices);
    HostFloats gradients = new HostFloats(gradient);
    HostFloats to = new HostFloats(matricesGradient);
    try (Scratch scratch = Scratch.shared()) {
      float[][] matrix = scratch.heaps("matrix", n * n);
      float[][] vector = scratch.heaps("vector", length);
      float[][] other = scratch.heaps("other", length);
      Workers.share(
          (int) matrices.size(0),
          (worker, first, end) -> {
            float[] u = vector[worker];
            float[] g = other[worker];
            for (int i = first; i < end; i++) {
              from.read((long) i * n * n, matrix[worker], n * n);
              compute(matrix[worker], n, u);
              gradients.read((long) i * length, g, length);
              normalization.backward(u, g, length);
              spread(g, n, matrix[worker]);
              to.write(matrix[worker], (long) i * n * n, n * n);
            }
          });
    }
  }

  /** Puts u, or v without power normalisation, into a vector. */
  private void compute(float[] matrix, int n, float[] vector) {
    int length = Triangle.length(n);
    for (int k = 0, i = 0; i < n; k += n - i, i++) {
      System.arraycopy(matrix, i * n + i, vector, k, n - i);
    }
    VectorNormalizationHost.scale(vector, length, ROOT_OF_2);
    for (int k = 0, i = 0; i < n; k += n - i, i++) {
      vector[k] = matrix[i * n + i];
    }
    normalization.power(vector, length);
  }

  /** Each entry of a vector, which is changed, to both of its places in a matrix. */
  private static void spread(float[] vector, int n, float[] matrix) {
    for (int k = 0, i = 0; i < n; k += n - i, i++) {
      matrix[i * n + i] = vector[k];
    }
    VectorNormalizationHost.scale(vector, Triangle.length(n), ROOT_OF_HALF);
    for (int k = 0, i = 0; i < n; k += n - i, i++) {
      System.arraycopy(vector, k + 1, matrix, i * n + i + 1, n - i - 1);
    }
    FloatMatrices.mirror(matrix, n);
  }
}
