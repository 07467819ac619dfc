/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.operators.vectors;

import io.github.spd4j.backend.Saved;
import io.github.spd4j.backend.host.HostFloats;
import io.github.spd4j.backend.host.Squares;
import io.github.spd4j.backend.host.Workers;
import io.github.spd4j.linalg.NumericPolicy;
import java.util.Arrays;
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

  /** By worker; made anew for matrices of another size. */
  private Vector[] buffers = new Vector[0];

  VectorsHost(VectorNormalization normalization) {
    this.power = normalization.isPowerNormalization();
    this.floor = (float) normalization.getPowerFloor();
    this.l2 = normalization.isL2Normalization();
    this.scale = (float) normalization.getScale();
  }

  private Vector[] buffers(int n) {
    if (buffers.length != Workers.count() || buffers[0].n != n) {
      buffers = new Vector[Workers.count()];
      Arrays.setAll(buffers, worker -> new Vector(n));
    }
    return buffers;
  }

  @Override
  public void forward(INDArray matrices, INDArray vectors, Saved saved) {
    saved.keep("matrices", matrices);
    Vector[] byWorker = buffers((int) matrices.size(1));
    HostFloats from = new HostFloats(matrices);
    HostFloats to = new HostFloats(vectors);
    Workers.share(
        (int) matrices.size(0),
        (worker, first, end) -> {
          Vector v = byWorker[worker];
          for (int i = first; i < end; i++) {
            v.compute(from, i);
            float factor = l2 ? scale * inverse(v.norm()) : scale;
            scale(v.powered, factor);
            to.write(v.powered, (long) i * v.length, v.length);
          }
        });
  }

  @Override
  public void backward(INDArray gradient, INDArray matricesGradient, Saved saved) {
    INDArray matrices = saved.get("matrices");
    int n = (int) matrices.size(1);
    Vector[] byWorker = buffers(n);
    HostFloats from = new HostFloats(matrices);
    HostFloats gradients = new HostFloats(gradient);
    HostFloats to = new HostFloats(matricesGradient);
    Workers.share(
        (int) matrices.size(0),
        (worker, first, end) -> {
          Vector v = byWorker[worker];
          float[] g = v.gradient;
          for (int i = first; i < end; i++) {
            v.compute(from, i);
            gradients.read((long) i * v.length, g, v.length);
            throughNormalization(v, g);
            v.spread(g);
            to.write(v.matrix, (long) i * n * n, n * n);
          }
        });
  }

  /** 1/‖u‖, or 0 where the norm is not above its floor. */
  private static float inverse(double norm) {
    return (float) NumericPolicy.inverse(norm, NumericPolicy.NORM_FLOOR);
  }

  private static void scale(float[] vector, float factor) {
    for (int k = 0; k < vector.length; k++) {
      vector[k] *= factor;
    }
  }

  /** Replaces the gradient of the output by that of the raw vector. */
  private void throughNormalization(Vector v, float[] g) {
    float factor = scale;
    float along = 0;
    if (l2) {
      double inverse = inverse(v.norm());
      factor = (float) (scale * inverse);
      along = (float) (Squares.dot(v.powered, g, 0, v.length) * inverse * inverse * factor);
    }
    for (int k = 0; k < v.length; k++) {
      g[k] = factor * g[k] - along * v.powered[k];
    }
    if (power) {
      for (int k = 0; k < v.length; k++) {
        g[k] = g[k] / (2 * v.root[k]);
      }
    }
  }

  /** The vector of one matrix at a time. */
  private final class Vector {
    final int n;
    final int length;
    final float[] matrix;

    /** √(|v| + φ²). */
    final float[] root;

    /** u, or v without power normalisation. */
    final float[] powered;

    final float[] gradient;

    Vector(int n) {
      this.n = n;
      length = UpperTriangle.length(n);
      matrix = new float[n * n];
      root = new float[power ? length : 0];
      powered = new float[length];
      gradient = new float[length];
    }

    /** Each entry of a vector to both of its places in the matrix. */
    void spread(float[] vector) {
      for (int k = 0, i = 0; i < n; k += n - i, i++) {
        matrix[i * n + i] = vector[k];
      }
      scale(vector, ROOT_OF_HALF);
      for (int k = 0, i = 0; i < n; k += n - i, i++) {
        System.arraycopy(vector, k + 1, matrix, i * n + i + 1, n - i - 1);
      }
      Squares.mirror(matrix, n);
    }

    void compute(HostFloats source, int index) {
      source.read((long) index * n * n, matrix, n * n);
      for (int k = 0, i = 0; i < n; k += n - i, i++) {
        System.arraycopy(matrix, i * n + i, powered, k, n - i);
      }
      scale(powered, ROOT_OF_2);
      for (int k = 0, i = 0; i < n; k += n - i, i++) {
        powered[k] = matrix[i * n + i];
      }
      if (power) {
        float squaredFloor = floor * floor;
        for (int k = 0; k < length; k++) {
          root[k] = (float) Math.sqrt(Math.abs(powered[k]) + squaredFloor);
        }
        for (int k = 0; k < length; k++) {
          powered[k] = powered[k] / (floor + root[k]);
        }
      }
    }

    double norm() {
      return Math.sqrt(Squares.dot(powered, powered, 0, length));
    }
  }
}
