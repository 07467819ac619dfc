/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.operators.vectors;

import io.github.spd4j.backend.host.HostFloats;
import io.github.spd4j.backend.host.Squares;
import io.github.spd4j.backend.host.Workers;
import io.github.spd4j.linalg.NumericPolicy;
import java.util.Arrays;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * {@link UpperTriangle} and {@link VectorNormalization} in one pass over each matrix, for arrays in
 * the host's memory. The backward pass computes the vectors again, which is cheaper than to keep
 * them. For one caller at a time.
 */
public final class VectorsHost {

  private static final float ROOT_OF_2 = (float) Math.sqrt(2);
  private static final float ROOT_OF_HALF = (float) Math.sqrt(0.5);

  private final int n;
  private final int length;
  private final boolean power;
  private final float floor;
  private final boolean l2;
  private final float scale;
  private final Vector[] room;

  /**
   * The vectors of n×n matrices.
   *
   * @param n rows
   * @param normalization how they are normalised
   */
  public VectorsHost(int n, VectorNormalization normalization) {
    this.n = n;
    this.length = UpperTriangle.length(n);
    this.power = normalization.isPowerNormalization();
    this.floor = (float) normalization.getPowerFloor();
    this.l2 = normalization.isL2Normalization();
    this.scale = (float) normalization.getScale();
    this.room = new Vector[Workers.count()];
    Arrays.setAll(room, worker -> new Vector());
  }

  /**
   * Whether these are the vectors of matrices of a size, with as many workers as there are now.
   *
   * @param rows the size
   * @return false if others are needed
   */
  public boolean areOf(int rows) {
    return n == rows && room.length == Workers.count();
  }

  /**
   * The forward pass.
   *
   * @param matrices [N, n, n], dense, not changed; only the upper triangle is read
   * @param vectors where [N, n(n+1)/2] go
   */
  public void forward(INDArray matrices, INDArray vectors) {
    HostFloats from = new HostFloats(matrices);
    HostFloats to = new HostFloats(vectors);
    Workers.share(
        (int) matrices.size(0),
        (worker, first, end) -> {
          Vector v = room[worker];
          for (int i = first; i < end; i++) {
            v.compute(from, i);
            float factor = l2 ? scale * inverse(v.norm()) : scale;
            for (int k = 0; k < length; k++) {
              v.powered[k] *= factor;
            }
            to.write(v.powered, (long) i * length, length);
          }
        });
  }

  /**
   * The backward pass.
   *
   * @param matrices as in the forward pass
   * @param gradient the gradient with respect to the vectors, dense, not changed
   * @param byMatrices where the symmetric gradient with respect to the matrices goes
   */
  public void backward(INDArray matrices, INDArray gradient, INDArray byMatrices) {
    HostFloats from = new HostFloats(matrices);
    HostFloats gradients = new HostFloats(gradient);
    HostFloats to = new HostFloats(byMatrices);
    Workers.share(
        (int) matrices.size(0),
        (worker, first, end) -> {
          Vector v = room[worker];
          float[] g = v.gradient;
          for (int i = first; i < end; i++) {
            v.compute(from, i);
            gradients.read((long) i * length, g, length);
            throughNormalization(v, g);
            spread(g, v.matrix);
            to.write(v.matrix, (long) i * n * n, n * n);
          }
        });
  }

  /** 1/‖u‖, or 0 where the norm is below its floor. */
  private static float inverse(double norm) {
    return norm > NumericPolicy.NORM_FLOOR ? (float) (1 / norm) : norm == norm ? 0 : Float.NaN;
  }

  /** Replaces the gradient of the output by that of the raw vector. */
  private void throughNormalization(Vector v, float[] g) {
    float factor = scale;
    float along = 0;
    if (l2) {
      double inverse = inverse(v.norm());
      factor = (float) (scale * inverse);
      along = (float) (Squares.dot(v.powered, g, 0, length) * inverse * inverse * factor);
    }
    for (int k = 0; k < length; k++) {
      g[k] = factor * g[k] - along * v.powered[k];
    }
    if (power) {
      for (int k = 0; k < length; k++) {
        g[k] = g[k] / (2 * v.root[k]);
      }
    }
  }

  /** Each entry of the vector to both of its places in the matrix. */
  private void spread(float[] vector, float[] matrix) {
    int k = 0;
    for (int i = 0; i < n; i++) {
      int row = i * n;
      matrix[row + i] = vector[k++];
      for (int j = i + 1; j < n; j++, k++) {
        matrix[row + j] = ROOT_OF_HALF * vector[k];
      }
    }
    Squares.mirror(matrix, n);
  }

  /** The vector of one matrix at a time. */
  private final class Vector {
    final float[] matrix = new float[n * n];

    /** √(|v| + φ²). */
    final float[] root = new float[power ? length : 0];

    /** u, or v without power normalisation. */
    final float[] powered = new float[length];

    final float[] gradient = new float[length];

    void compute(HostFloats source, int index) {
      source.read((long) index * n * n, matrix, n * n);
      int k = 0;
      for (int i = 0; i < n; i++) {
        int diagonal = i * n + i;
        powered[k] = matrix[diagonal];
        int shift = k - diagonal;
        int end = (i + 1) * n;
        for (int j = diagonal + 1; j < end; j++) {
          powered[shift + j] = ROOT_OF_2 * matrix[j];
        }
        k += n - i;
      }
      if (power) {
        float squaredFloor = floor * floor;
        for (k = 0; k < length; k++) {
          root[k] = (float) Math.sqrt(Math.abs(powered[k]) + squaredFloor);
        }
        for (k = 0; k < length; k++) {
          powered[k] = powered[k] / (floor + root[k]);
        }
      }
    }

    double norm() {
      return Math.sqrt(Squares.dot(powered, powered, 0, length));
    }
  }
}
