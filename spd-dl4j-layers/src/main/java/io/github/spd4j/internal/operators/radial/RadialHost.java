/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.radial;

import io.github.spd4j.internal.backend.ForwardPass;
import io.github.spd4j.internal.backend.Scratch;
import io.github.spd4j.internal.backend.host.FloatExp;
import io.github.spd4j.internal.backend.host.FloatMatrices;
import io.github.spd4j.internal.backend.host.HostFloats;
import io.github.spd4j.internal.backend.host.HostMatrix;
import io.github.spd4j.internal.backend.host.Workers;
import io.github.spd4j.linalg.NumericPolicy;
import java.util.Arrays;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * {@link Radial} for FLOAT arrays in the host's memory: the RBF kernel, unless its bandwidth is
 * differentiated. Apart from the products it goes once over the upper triangle of each matrix.
 */
final class RadialHost implements Radial {

  private static final String CENTRED = "centred";
  private static final String KERNEL = "kernel";
  private static final String INVERSE = "inverse sigma";
  private static final String SHRINKING = "shrinking";

  /** The largest sum of distances whose squares are computed with as they are. */
  private static final double LARGE_SUM = Math.sqrt(NumericPolicy.largeSquare(DataType.FLOAT));

  private final Sigma sigma;

  RadialHost(Sigma sigma) {
    this.sigma = sigma;
  }

  @Override
  public void forward(INDArray maps, double scale, INDArray kernel, ForwardPass saved) {
    int images = (int) maps.size(0);
    int c = (int) maps.size(1);
    int pixels = (int) maps.size(2);
    HostFloats source = new HostFloats(maps);
    HostFloats target = new HostFloats(kernel);
    boolean training = saved.isTraining();
    HostFloats kept = training ? kept(saved, KERNEL, images, c, c) : null;
    HostFloats inverses = kept(saved, INVERSE, images);
    HostFloats shrinkings = kept(saved, SHRINKING, images);
    boolean[] finite = new boolean[images];
    try (Scratch scratch = Scratch.shared()) {
      HostFloats centred =
          training
              ? kept(saved, CENTRED, images, c, pixels)
              : new HostFloats(scratch.array(CENTRED, Workers.count(), c, pixels));
      float[][] matrix = scratch.heaps("matrix", c * Math.max(c, pixels));
      float[][] row = scratch.heaps("row", Math.max(c, pixels));
      float[][] room = scratch.heaps("room", Math.max(c, pixels));
      Workers.shareProducts(
          images,
          (worker, from, to) -> {
            float[] k = matrix[worker];
            float[] inverse = new float[1];
            float[] shrinking = new float[1];
            for (int i = from; i < to; i++) {
              HostMatrix given = HostMatrix.of(source, i, c, pixels);
              HostMatrix own = HostMatrix.of(centred, training ? i : worker, c, pixels);
              HostMatrix result = HostMatrix.of(target, i, c, c);
              given.read(k);
              double sum = distances(k, own, result, row[worker], room[worker]);
              shrinking[0] = 1;
              if (!(sum <= LARGE_SUM)) {
                given.read(k);
                shrinking[0] = shrink(k, c * pixels);
                sum = distances(k, own, result, row[worker], room[worker]);
              }
              finite[i] = Double.isFinite(sum);
              inverse[0] = (float) sigma.inverse(sum, c, scale, shrinking[0]);
              float factor = -0.5f * inverse[0] * inverse[0];
              exponential(k, c, factor, factor * squaredBound(sum, c), row[worker], room[worker]);
              FloatMatrices.mirror(k, c);
              result.write(k);
              inverses.write(inverse, i, 1);
              shrinkings.write(shrinking, i, 1);
              if (training) {
                HostMatrix.of(kept, i, c, c).write(k);
              }
            }
          });
    }
    for (int i = 0; i < images; i++) {
      if (!finite[i]) {
        throw Radial.notFinite(i);
      }
    }
  }

  /**
   * K does not depend on the scale of the maps, but squares of huge ones leave single precision.
   */
  private static float shrink(float[] maps, int length) {
    float largest = 0;
    for (int k = 0; k < length; k++) {
      largest = Math.max(largest, Math.abs(maps[k])); // NaN if there is one
    }
    float factor = (float) NumericPolicy.shrinking(largest);
    scale(maps, length, factor);
    return factor;
  }

  private static void scale(float[] numbers, int length, float factor) {
    for (int k = 0; k < length; k++) {
      numbers[k] *= factor;
    }
  }

  /**
   * Centres maps, and makes the upper triangle of D of them.
   *
   * @param numbers the maps; D afterwards
   * @param own where the centred maps go
   * @param product memory for a product
   * @param row memory for a row
   * @param room memory for another
   * @return the sum of all distances, each counted twice
   */
  private static double distances(
      float[] numbers, HostMatrix own, HostMatrix product, float[] row, float[] room) {
    int c = product.rows();
    int pixels = own.columns();
    centre(numbers, c, pixels, row, room);
    own.write(numbers);
    product.setUpperTriangleOfSquare(-2, own.plain());
    product.read(numbers);
    double kept = 1 - NumericPolicy.distanceRounding(DataType.FLOAT, pixels);
    return 2 * squaredDistances(numbers, c, (float) (-0.5 * kept), row, room);
  }

  /*
   * In the loops below all arrays have the same index, for which rows are copied: where it differs,
   * the compiler takes it that a number written may be one that is read next, and uses no vector
   * instructions. It uses none either for a maximum that mostly is the same of the two.
   */

  private static HostFloats kept(ForwardPass saved, String name, long... shape) {
    return new HostFloats(saved.keep(DataType.FLOAT, name, shape));
  }

  /** Subtracts from each map the mean of all maps. */
  private static void centre(float[] image, int c, int pixels, float[] mean, float[] map) {
    Arrays.fill(mean, 0, pixels, 0);
    int end = c * pixels;
    for (int row = 0; row < end; row += pixels) {
      System.arraycopy(image, row, map, 0, pixels);
      for (int k = 0; k < pixels; k++) {
        mean[k] += map[k];
      }
    }
    for (int k = 0; k < pixels; k++) {
      mean[k] /= c;
    }
    for (int row = 0; row < end; row += pixels) {
      System.arraycopy(image, row, map, 0, pixels);
      for (int k = 0; k < pixels; k++) {
        map[k] -= mean[k];
      }
      System.arraycopy(map, 0, image, row, pixels);
    }
  }

  /** Makes D of the upper triangle of −2FFᵀ, and returns the sum of the distances in it. */
  private static double squaredDistances(
      float[] matrix, int c, float factor, float[] norm, float[] row) {
    for (int i = 0; i < c; i++) {
      norm[i] = factor * matrix[i * c + i];
    }
    double sum = 0;
    for (int i = 0; i < c; i++) {
      int diagonal = i * c + i;
      System.arraycopy(matrix, diagonal, row, i, c - i);
      float own = norm[i];
      for (int j = i; j < c; j++) {
        float square = row[j] + own + norm[j];
        row[j] = 0.5f * (square + Math.abs(square)); // not less than 0
      }
      sum += sumOfRoots(row, i, c);
      System.arraycopy(row, i, matrix, diagonal, c - i);
    }
    return sum;
  }

  /** Four sums, so that one root and one addition need not wait for the other. */
  private static double sumOfRoots(float[] squares, int from, int to) {
    float a = 0;
    float b = 0;
    float c = 0;
    float d = 0;
    int k = from;
    for (; k + 3 < to; k += 4) {
      a += (float) Math.sqrt(squares[k]);
      b += (float) Math.sqrt(squares[k + 1]);
      c += (float) Math.sqrt(squares[k + 2]);
      d += (float) Math.sqrt(squares[k + 3]);
    }
    for (; k < to; k++) {
      a += (float) Math.sqrt(squares[k]);
    }
    return (double) a + b + c + d;
  }

  /**
   * What no squared distance exceeds. Two maps are no farther apart than by way of any third, so
   * that the distances of all maps from these two add up to C − 1 times theirs at least.
   */
  private static float squaredBound(double sum, int c) {
    double farthest = sum / (2 * Math.max(1, c - 1));
    return (float) (farthest * farthest);
  }

  /**
   * Makes the upper triangle of K of that of D.
   *
   * @param lowest what no exponent is less than
   */
  private static void exponential(
      float[] matrix, int c, float factor, float lowest, float[] row, float[] room) {
    for (int i = 0; i < c; i++) {
      int diagonal = i * c + i;
      System.arraycopy(matrix, diagonal, row, i, c - i);
      if (lowest < FloatExp.LOWEST) {
        for (int j = i; j < c; j++) {
          row[j] = Math.min(row[j], FloatExp.LOWEST / factor);
        }
      }
      FloatExp.ofNegative(row, i, c, factor, room);
      System.arraycopy(row, i, matrix, diagonal, c - i);
    }
  }

  /** T lies where K was kept. */
  @Override
  public void backward(
      INDArray gradient, INDArray mapsGradient, INDArray thetaGradient, ForwardPass saved) {
    int images = (int) mapsGradient.size(0);
    int c = (int) mapsGradient.size(1);
    int pixels = (int) mapsGradient.size(2);
    HostFloats gradients = new HostFloats(gradient);
    HostFloats kernels = new HostFloats(saved.get(KERNEL));
    HostFloats inverses = new HostFloats(saved.get(INVERSE));
    HostFloats shrinkings = new HostFloats(saved.get(SHRINKING));
    HostFloats centred = new HostFloats(saved.get(CENTRED));
    HostFloats results = new HostFloats(mapsGradient);
    boolean learnt = thetaGradient != null;
    double[] byTheta = new double[images];
    try (Scratch scratch = Scratch.shared()) {
      float[][] matrix = scratch.heaps("matrix", c * Math.max(c, pixels));
      float[][] row = scratch.heaps("row", Math.max(c, pixels));
      float[][] room = scratch.heaps("room", Math.max(c, pixels));
      float[][] third = scratch.heaps("third", c);
      float[][] other = learnt ? scratch.heaps("other", c * pixels) : null;
      Workers.shareProducts(
          images,
          (worker, from, to) -> {
            float[] t = matrix[worker];
            float[] inverse = new float[1];
            float[] shrinking = new float[1];
            for (int i = from; i < to; i++) {
              inverses.read(i, inverse, 1);
              HostMatrix.of(gradients, i, c, c).read(t);
              FloatMatrices.addTransposed(t, c, -0.5f * inverse[0] * inverse[0]);
              HostMatrix weight = HostMatrix.of(kernels, i, c, c);
              weigh(t, kernels, (long) i * c * c, c, row[worker], room[worker], third[worker]);
              weight.write(t);
              HostMatrix maps = HostMatrix.of(centred, i, c, pixels);
              HostMatrix result = HostMatrix.of(results, i, c, pixels);
              result.setProduct(-2, weight.plain(), maps.plain(), 0);
              if (learnt) {
                maps.read(t);
                result.read(other[worker]);
                byTheta[i] = -FloatMatrices.dot(t, other[worker], 0, c * pixels);
              }
              shrinkings.read(i, shrinking, 1);
              if (shrinking[0] != 1) { // the gradient so far is that of the shrunk maps
                result.read(t);
                scale(t, c * pixels, shrinking[0]);
                result.write(t);
              }
            }
          });
    }
    if (learnt) {
      thetaGradient.assign(Arrays.stream(byTheta).sum());
    }
  }

  /**
   * Replaces a symmetric T by {@code T ∘ K − diag((T ∘ K)·1)}. What is on the diagonal cancels, and
   * is left out, since next to it the rest may be too small to count.
   */
  private static void weigh(
      float[] t,
      HostFloats kernels,
      long start,
      int c,
      float[] sums,
      float[] row,
      float[] weights) {
    Arrays.fill(sums, 0, c, 0);
    for (int i = 0; i < c; i++) {
      System.arraycopy(t, i * c, row, 0, c);
      kernels.read(start + (long) i * c, weights, c);
      weights[i] = 0;
      for (int j = 0; j < c; j++) {
        row[j] *= weights[j];
      }
      for (int j = 0; j < c; j++) {
        sums[j] += row[j];
      }
      System.arraycopy(row, 0, t, i * c, c);
    }
    for (int i = 0; i < c; i++) {
      t[i * c + i] = -sums[i];
    }
  }
}
