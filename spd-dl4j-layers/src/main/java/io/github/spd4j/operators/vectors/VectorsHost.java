/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.operators.vectors;

import io.github.spd4j.backend.Saved;
import io.github.spd4j.backend.SharedScratch;
import io.github.spd4j.backend.host.HostFloats;
import io.github.spd4j.backend.host.Squares;
import io.github.spd4j.backend.host.Workers;
import io.github.spd4j.linalg.NumericPolicy;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * {@link Vectors} for FLOAT arrays in the host's memory, in one pass over each matrix. The backward
 * pass computes the vectors again, which is cheaper than to keep them.
 */
final class VectorsHost implements Vectors {

  private static final float ROOT_OF_2 = (float) Math.sqrt(2);
  private static final float ROOT_OF_HALF = (float) Math.sqrt(0.5);

  private final boolean power;
  private final float floor;
  private final boolean l2;
  private final float scale;

  VectorsHost(VectorNormalization normalization) {
    this.power = normalization.isPowerNormalization();
    this.floor = (float) normalization.getPowerFloor();
    this.l2 = normalization.isL2Normalization();
    this.scale = (float) normalization.getScale();
  }

  @Override
  public void forward(INDArray matrices, INDArray vectors, Saved saved) {
    saved.keep("matrices", matrices);
    int n = (int) matrices.size(1);
    int length = UpperTriangle.length(n);
    HostFloats from = new HostFloats(matrices);
    HostFloats to = new HostFloats(vectors);
    try (SharedScratch shared = new SharedScratch()) {
      float[][] matrix = shared.get().heaps("matrix", n * n);
      float[][] vector = shared.get().heaps("vector", length);
      Workers.share(
          (int) matrices.size(0),
          (worker, first, end) -> {
            float[] u = vector[worker];
            for (int i = first; i < end; i++) {
              from.read((long) i * n * n, matrix[worker], n * n);
              compute(matrix[worker], n, u);
              scale(u, length, l2 ? scale * inverse(norm(u, length)) : scale);
              to.write(u, (long) i * length, length);
            }
          });
    }
  }

  @Override
  public void backward(INDArray gradient, INDArray matricesGradient, Saved saved) {
    INDArray matrices = saved.get("matrices");
    int n = (int) matrices.size(1);
    int length = UpperTriangle.length(n);
    HostFloats from = new HostFloats(matrices);
    HostFloats gradients = new HostFloats(gradient);
    HostFloats to = new HostFloats(matricesGradient);
    try (SharedScratch shared = new SharedScratch()) {
      float[][] matrix = shared.get().heaps("matrix", n * n);
      float[][] vector = shared.get().heaps("vector", length);
      float[][] other = shared.get().heaps("other", length);
      Workers.share(
          (int) matrices.size(0),
          (worker, first, end) -> {
            float[] u = vector[worker];
            float[] g = other[worker];
            for (int i = first; i < end; i++) {
              from.read((long) i * n * n, matrix[worker], n * n);
              compute(matrix[worker], n, u);
              gradients.read((long) i * length, g, length);
              throughNormalization(u, g, length);
              spread(g, n, matrix[worker]);
              to.write(matrix[worker], (long) i * n * n, n * n);
            }
          });
    }
  }

  private static double norm(float[] vector, int length) {
    return Math.sqrt(Squares.dot(vector, vector, 0, length));
  }

  /** 1/‖u‖, or 0 where the norm is not above its floor. */
  private static float inverse(double norm) {
    return (float) NumericPolicy.inverse(norm, NumericPolicy.NORM_FLOOR);
  }

  private static void scale(float[] vector, int length, float factor) {
    for (int k = 0; k < length; k++) {
      vector[k] *= factor;
    }
  }

  /** Puts u, or v without power normalisation, into a vector. */
  private void compute(float[] matrix, int n, float[] vector) {
    int length = UpperTriangle.length(n);
    for (int k = 0, i = 0; i < n; k += n - i, i++) {
      System.arraycopy(matrix, i * n + i, vector, k, n - i);
    }
    scale(vector, length, ROOT_OF_2);
    for (int k = 0, i = 0; i < n; k += n - i, i++) {
      vector[k] = matrix[i * n + i];
    }
    if (power) {
      float squaredFloor = floor * floor;
      for (int k = 0; k < length; k++) {
        vector[k] /= floor + (float) Math.sqrt(Math.abs(vector[k]) + squaredFloor);
      }
    }
  }

  /**
   * Replaces the gradient of the output by that of the raw vector. The derivative of the power
   * normalisation is {@code 1 / 2√(|v| + φ²)}, and that root is {@code |u| + φ}.
   */
  private void throughNormalization(float[] u, float[] g, int length) {
    float factor = scale;
    float along = 0;
    if (l2) {
      double inverse = inverse(norm(u, length));
      factor = (float) (scale * inverse);
      along = (float) (Squares.dot(u, g, 0, length) * inverse * inverse * factor);
    }
    for (int k = 0; k < length; k++) {
      g[k] = factor * g[k] - along * u[k];
    }
    if (power) {
      for (int k = 0; k < length; k++) {
        g[k] /= 2 * (Math.abs(u[k]) + floor);
      }
    }
  }

  /** Each entry of a vector, which is changed, to both of its places in a matrix. */
  private static void spread(float[] vector, int n, float[] matrix) {
    for (int k = 0, i = 0; i < n; k += n - i, i++) {
      matrix[i * n + i] = vector[k];
    }
    scale(vector, UpperTriangle.length(n), ROOT_OF_HALF);
    for (int k = 0, i = 0; i < n; k += n - i, i++) {
      System.arraycopy(vector, k + 1, matrix, i * n + i + 1, n - i - 1);
    }
    Squares.mirror(matrix, n);
  }
}
