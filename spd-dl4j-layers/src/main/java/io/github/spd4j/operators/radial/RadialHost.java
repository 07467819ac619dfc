/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.operators.radial;

import io.github.spd4j.backend.Scratch;
import io.github.spd4j.backend.host.FloatExp;
import io.github.spd4j.backend.host.HostFloats;
import io.github.spd4j.backend.host.HostMatrix;
import io.github.spd4j.backend.host.Squares;
import io.github.spd4j.backend.host.Workers;
import io.github.spd4j.kernel.Bandwidth;
import io.github.spd4j.kernel.Kernel;
import io.github.spd4j.kernel.RadialKernel;
import io.github.spd4j.kernel.RbfKernel;
import io.github.spd4j.linalg.NumericPolicy;
import java.util.Arrays;
import java.util.Map;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * {@link RbfKernel} with a constant bandwidth for FLOAT arrays in the host's memory: apart from the
 * products, one pass over the upper triangle of each matrix.
 */
public final class RadialHost {

  private final RbfKernel kernel;

  private RadialHost(RbfKernel kernel) {
    this.kernel = kernel;
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
  public static RadialHost of(Kernel kernel) {
    return new RadialHost((RbfKernel) kernel);
  }

  /**
   * The forward pass.
   *
   * @param maps F [N, C, P], dense, not changed
   * @param parameters the kernel's parameters by name
   * @param output where K [N, C, C] goes
   * @param scratch keeps what the backward pass needs
   * @param training whether there will be one
   */
  public void forward(
      INDArray maps,
      Map<String, INDArray> parameters,
      INDArray output,
      Scratch scratch,
      boolean training) {
    Bandwidth bandwidth = kernel.bandwidth(parameters);
    int images = (int) maps.size(0);
    int c = (int) maps.size(1);
    int pixels = (int) maps.size(2);
    HostFloats source = new HostFloats(maps);
    HostFloats centred = new HostFloats(scratch.array("centred", images, c, pixels));
    HostFloats target = new HostFloats(output);
    HostFloats kept = training ? new HostFloats(scratch.array("kernel", images, c, c)) : null;
    HostFloats sigmas = new HostFloats(scratch.array("sigma", images));
    float norms = (float) (-0.5 * (1 - NumericPolicy.distanceRounding(DataType.FLOAT, pixels)));
    float[][] image = scratch.heaps("image", c * pixels);
    float[][] matrix = scratch.heaps("matrix", c * c);
    float[][] row = scratch.heaps("row", Math.max(c, pixels));
    Workers.shareProducts(
        images,
        (worker, from, to) -> {
          float[] k = matrix[worker];
          float[] sigma = new float[1];
          for (int i = from; i < to; i++) {
            HostMatrix own = HostMatrix.of(centred, i, c, pixels);
            HostMatrix.of(source, i, c, pixels).read(image[worker]);
            centre(image[worker], row[worker], c, pixels);
            own.write(image[worker]);
            HostMatrix result = HostMatrix.of(target, i, c, c);
            result.setUpperTriangle(-2, own.plain(), own.transposed());
            result.read(k);
            sigma[0] = sigma(bandwidth, squaredDistances(k, row[worker], c, norms), c);
            exponential(k, c, -0.5f / (sigma[0] * sigma[0]));
            Squares.mirror(k, c);
            result.write(k);
            sigmas.write(sigma, i, 1);
            if (kept != null) {
              HostMatrix.of(kept, i, c, c).write(k);
            }
          }
        });
  }

  /** Subtracts from each map the mean of all maps. */
  private static void centre(float[] image, float[] mean, int c, int pixels) {
    Arrays.fill(mean, 0, pixels, 0);
    int end = c * pixels;
    for (int row = 0; row < end; row += pixels) {
      for (int k = 0; k < pixels; k++) {
        mean[k] += image[row + k];
      }
    }
    for (int k = 0; k < pixels; k++) {
      mean[k] /= c;
    }
    for (int row = 0; row < end; row += pixels) {
      for (int k = 0; k < pixels; k++) {
        image[row + k] -= mean[k];
      }
    }
  }

  /** Makes D of the upper triangle of −2FFᵀ, and returns the sum of the distances in it. */
  private static double squaredDistances(float[] matrix, float[] norm, int c, float factor) {
    for (int i = 0; i < c; i++) {
      norm[i] = factor * matrix[i * c + i];
    }
    double sum = 0;
    for (int i = 0; i < c; i++) {
      int row = i * c;
      float own = norm[i];
      for (int j = i; j < c; j++) {
        matrix[row + j] = Math.max(0, matrix[row + j] + own + norm[j]);
      }
      sum += sumOfRoots(matrix, row + i, row + c);
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

  private static float sigma(Bandwidth bandwidth, double sumOfUpper, int c) {
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
   * The backward pass: {@code ∂L/∂F = 2 (diag(T·1) − T) F} with {@code T = B + Bᵀ} and {@code B =
   * G∘K · ∂e/∂D}. K does not change if F and σ are multiplied by the same number, so that a learnt
   * bandwidth has {@code ∂L/∂θ = σ ∂L/∂σ = −⟨∂L/∂F, F⟩}.
   *
   * @param gradient G [N, C, C], dense, not changed
   * @param byMaps where ∂L/∂F [N, C, P] goes
   * @param byParameters where the gradients of the kernel's parameters go, by name
   * @param scratch what the forward pass kept
   */
  public void backward(
      INDArray gradient, INDArray byMaps, Map<String, INDArray> byParameters, Scratch scratch) {
    int images = (int) byMaps.size(0);
    int c = (int) byMaps.size(1);
    int pixels = (int) byMaps.size(2);
    HostFloats gradients = new HostFloats(gradient);
    HostFloats kernels = new HostFloats(scratch.array("kernel", images, c, c));
    HostFloats sigmas = new HostFloats(scratch.array("sigma", images));
    HostFloats centred = new HostFloats(scratch.array("centred", images, c, pixels));
    HostFloats weights = new HostFloats(scratch.array("weights", Workers.count(), c, c));
    HostFloats results = new HostFloats(byMaps);
    float[][] image = scratch.heaps("image", c * pixels);
    float[][] matrix = scratch.heaps("matrix", c * c);
    boolean learnt = kernel.bandwidth().isLearnt();
    float[][] other = scratch.heaps("other", learnt ? Math.max(c * c, c * pixels) : c * c);
    double[] byTheta = new double[images];
    Workers.shareProducts(
        images,
        (worker, from, to) -> {
          float[] t = matrix[worker];
          float[] sigma = new float[1];
          HostMatrix weight = HostMatrix.of(weights, worker, c, c);
          for (int i = from; i < to; i++) {
            sigmas.read(i, sigma, 1);
            HostMatrix.of(gradients, i, c, c).read(t);
            Squares.addTransposed(t, c, slope(sigma[0]));
            HostMatrix.of(kernels, i, c, c).read(other[worker]);
            multiply(t, other[worker], c * c);
            weight.write(t);
            HostMatrix maps = HostMatrix.of(centred, i, c, pixels);
            HostMatrix result = HostMatrix.of(results, i, c, pixels);
            maps.read(image[worker]);
            scaleRows(image[worker], t, c, pixels);
            result.write(image[worker]);
            result.setProduct(-2, weight.plain(), maps.plain(), 1);
            if (learnt) {
              maps.read(image[worker]);
              result.read(other[worker]);
              byTheta[i] = -inner(image[worker], other[worker], c * pixels);
            }
          }
        });
    if (learnt) {
      byParameters.get(RadialKernel.LOG_BANDWIDTH).assign(Arrays.stream(byTheta).sum());
    }
  }

  private static double inner(float[] a, float[] b, int length) {
    double sum = 0;
    for (int k = 0; k < length; k++) {
      sum += (double) a[k] * b[k];
    }
    return sum;
  }

  private static void multiply(float[] matrix, float[] factors, int length) {
    for (int k = 0; k < length; k++) {
      matrix[k] *= factors[k];
    }
  }

  /** ∂e/∂D, which is 0 where all maps of the image are equal. */
  private static float slope(float sigma) {
    double inverse = 1.0 / sigma;
    return inverse >= 1 / (2 * NumericPolicy.SIGMA_FLOOR) ? 0 : (float) (-0.5 * inverse * inverse);
  }

  /** {@code 2 diag(T·1) F} in the place of F. */
  private static void scaleRows(float[] image, float[] t, int c, int pixels) {
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
