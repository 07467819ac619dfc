/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.kernel;

import io.github.spd4j.linalg.FloatExp;
import io.github.spd4j.linalg.HostFloats;
import io.github.spd4j.linalg.NumericPolicy;
import io.github.spd4j.linalg.Products;
import io.github.spd4j.linalg.Scratch;
import io.github.spd4j.linalg.Squares;
import io.github.spd4j.linalg.Workers;
import java.util.Arrays;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * {@link RbfKernel} with a constant bandwidth for FLOAT arrays in the host's memory: apart from the
 * products, one pass over the upper triangle of each matrix.
 */
public final class FusedRbf {

  private final Bandwidth bandwidth;

  private FusedRbf(Bandwidth bandwidth) {
    this.bandwidth = bandwidth;
  }

  /**
   * Whether a kernel can be computed in this way.
   *
   * @param kernel any kernel
   * @return true for an {@link RbfKernel} whose bandwidth is not differentiated
   */
  public static boolean covers(Kernel kernel) {
    return kernel instanceof RbfKernel && !((RbfKernel) kernel).bandwidth().isDifferentiated();
  }

  /**
   * The same kernel, fused.
   *
   * @param kernel one that is {@linkplain #covers covered}
   * @return the computation
   */
  public static FusedRbf of(Kernel kernel) {
    return new FusedRbf(((RbfKernel) kernel).bandwidth());
  }

  /**
   * The forward pass.
   *
   * @param maps F [N, C, P], dense, not changed
   * @param output where K [N, C, C] goes
   * @param scratch keeps what the backward pass needs
   * @param training whether there will be one
   */
  public void forward(INDArray maps, INDArray output, Scratch scratch, boolean training) {
    int images = (int) maps.size(0);
    int c = (int) maps.size(1);
    int pixels = (int) maps.size(2);
    INDArray centred = scratch.array("centred", images, c, pixels);
    centre(maps, centred);
    for (int i = 0; i < images; i++) {
      INDArray own = centred.slice(i);
      Products.upperTriangle(-2, own, false, own, true, output.slice(i));
    }
    HostFloats target = new HostFloats(output);
    HostFloats kept = training ? new HostFloats(scratch.array("kernel", images, c, c)) : null;
    HostFloats sigmas = new HostFloats(scratch.array("sigma", images));
    float norms = (float) (-0.5 * (1 - NumericPolicy.distanceRounding(DataType.FLOAT, pixels)));
    Workers.share(
        images,
        (from, to) -> {
          float[] matrix = new float[c * c];
          float[] norm = new float[c];
          float[] sigma = new float[1];
          for (int i = from; i < to; i++) {
            long start = (long) i * matrix.length;
            target.read(start, matrix, matrix.length);
            sigma[0] = sigma(squaredDistances(matrix, norm, c, norms), c);
            exponential(matrix, c, -0.5f / (sigma[0] * sigma[0]));
            Squares.mirror(matrix, c);
            target.write(matrix, start, matrix.length);
            sigmas.write(sigma, i, 1);
            if (kept != null) {
              kept.write(matrix, start, matrix.length);
            }
          }
        });
  }

  /** Subtracts from each map the mean of all maps. */
  private static void centre(INDArray maps, INDArray centred) {
    int c = (int) maps.size(1);
    int pixels = (int) maps.size(2);
    HostFloats source = new HostFloats(maps);
    HostFloats target = new HostFloats(centred);
    Workers.share(
        (int) maps.size(0),
        (from, to) -> {
          float[] image = new float[c * pixels];
          float[] mean = new float[pixels];
          for (int i = from; i < to; i++) {
            source.read((long) i * image.length, image, image.length);
            Arrays.fill(mean, 0);
            for (int row = 0; row < image.length; row += pixels) {
              for (int k = 0; k < pixels; k++) {
                mean[k] += image[row + k];
              }
            }
            for (int k = 0; k < pixels; k++) {
              mean[k] /= c;
            }
            for (int row = 0; row < image.length; row += pixels) {
              for (int k = 0; k < pixels; k++) {
                image[row + k] -= mean[k];
              }
            }
            target.write(image, (long) i * image.length, image.length);
          }
        });
  }

  /** Makes D of the upper triangle of −2FFᵀ, and returns the sum of the distances in it. */
  private static double squaredDistances(float[] matrix, float[] norm, int c, float factor) {
    for (int i = 0; i < c; i++) {
      norm[i] = factor * matrix[i * c + i];
    }
    float[] roots = new float[c];
    double sum = 0;
    for (int i = 0; i < c; i++) {
      int row = i * c;
      float own = norm[i];
      for (int j = i; j < c; j++) {
        matrix[row + j] = Math.max(0, matrix[row + j] + own + norm[j]);
      }
      for (int j = i; j < c; j++) {
        roots[j] = (float) Math.sqrt(matrix[row + j]);
      }
      for (int j = i; j < c; j++) {
        sum += roots[j];
      }
    }
    return sum;
  }

  private float sigma(double sumOfUpper, int c) {
    if (bandwidth.isFixed()) {
      return (float) bandwidth.fixedValue();
    }
    double mean = 2 * sumOfUpper * bandwidth.meanDistanceSlope(c);
    return (float) Math.max(mean, NumericPolicy.SIGMA_FLOOR);
  }

  private static void exponential(float[] matrix, int c, float factor) {
    for (int i = 0; i < c; i++) {
      int end = (i + 1) * c;
      for (int k = i * c + i; k < end; k++) {
        matrix[k] = FloatExp.ofNegative(factor * matrix[k]);
      }
    }
  }

  /**
   * The backward pass.
   *
   * @param gradient G [N, C, C], dense, not changed
   * @param byMaps where ∂L/∂F [N, C, P] goes
   * @param scratch what the forward pass kept
   */
  public void backward(INDArray gradient, INDArray byMaps, Scratch scratch) {
    int images = (int) byMaps.size(0);
    int c = (int) byMaps.size(1);
    int pixels = (int) byMaps.size(2);
    int together = Math.min(images, Workers.count());
    INDArray centred = scratch.array("centred", images, c, pixels);
    INDArray weights = scratch.array("weights", together, c, c);
    Backward pass =
        new Backward(
            new HostFloats(gradient),
            new HostFloats(scratch.array("kernel", images, c, c)),
            new HostFloats(scratch.array("sigma", images)),
            new HostFloats(centred),
            new HostFloats(weights),
            new HostFloats(byMaps),
            c,
            pixels);
    for (int start = 0; start < images; start += together) {
      int first = start;
      int count = Math.min(together, images - first);
      Workers.share(count, (from, to) -> pass.prepare(first, from, to));
      for (int i = 0; i < count; i++) {
        Products.multiply(
            -2,
            weights.slice(i),
            false,
            centred.slice(first + i),
            false,
            1,
            byMaps.slice(first + i));
      }
    }
  }

  /** {@code T = B + Bᵀ} with {@code B = G∘K · ∂e/∂D}, and {@code 2 diag(T·1) F}. */
  private static final class Backward {
    final HostFloats gradient;
    final HostFloats kernel;
    final HostFloats sigmas;
    final HostFloats maps;
    final HostFloats weights;
    final HostFloats byMaps;
    final int c;
    final int pixels;

    Backward(
        HostFloats gradient,
        HostFloats kernel,
        HostFloats sigmas,
        HostFloats maps,
        HostFloats weights,
        HostFloats byMaps,
        int c,
        int pixels) {
      this.gradient = gradient;
      this.kernel = kernel;
      this.sigmas = sigmas;
      this.maps = maps;
      this.weights = weights;
      this.byMaps = byMaps;
      this.c = c;
      this.pixels = pixels;
    }

    void prepare(int first, int from, int to) {
      float[] t = new float[c * c];
      float[] k = new float[c * c];
      float[] image = new float[c * pixels];
      float[] sigma = new float[1];
      for (int i = from; i < to; i++) {
        gradient.read((long) (first + i) * t.length, t, t.length);
        kernel.read((long) (first + i) * k.length, k, k.length);
        sigmas.read(first + i, sigma, 1);
        maps.read((long) (first + i) * image.length, image, image.length);
        Squares.addTransposed(t, c, slope(sigma[0]));
        for (int place = 0; place < t.length; place++) {
          t[place] *= k[place];
        }
        weights.write(t, (long) i * t.length, t.length);
        scaleRows(image, t);
        byMaps.write(image, (long) (first + i) * image.length, image.length);
      }
    }

    /** ∂e/∂D, which is 0 where all maps of the image are equal. */
    private static float slope(float sigma) {
      double inverse = 1.0 / sigma;
      return inverse >= 1 / (2 * NumericPolicy.SIGMA_FLOOR)
          ? 0
          : (float) (-0.5 * inverse * inverse);
    }

    private void scaleRows(float[] image, float[] t) {
      for (int i = 0; i < c; i++) {
        float sum = 0;
        for (int j = i * c; j < (i + 1) * c; j++) {
          sum += t[j];
        }
        float factor = 2 * sum;
        int end = (i + 1) * pixels;
        for (int place = i * pixels; place < end; place++) {
          image[place] *= factor;
        }
      }
    }
  }
}
