/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.listeners;

import io.github.spd4j.kernel.RadialKernel;
import io.github.spd4j.layers.KernelAggregationLayer;
import io.github.spd4j.linalg.NumericPolicy;
import io.github.spd4j.manifold.Spd;
import io.github.spd4j.manifold.Stiefel;
import java.util.Arrays;
import java.util.DoubleSummaryStatistics;
import java.util.Map;
import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;

/** Computes figures from arrays, in double precision and one example at a time. */
final class Measurements {

  private Measurements() {}

  /** Dead channels and σ of the first examples of the input of a layer. */
  static void maps(
      KernelAggregationLayer layer,
      Map<String, INDArray> parameters,
      INDArray input,
      int sample,
      Map<Figure, Double> figures) {
    long dead = 0;
    long most = 0;
    long channels = 0;
    DoubleSummaryStatistics sigmas = new DoubleSummaryStatistics();
    int examples = (int) Math.min(sample, input.size(0));
    for (int i = 0; i < examples; i++) {
      INDArray maps = mapsOf(input.slice(i), layer.getDataFormat() == CNN2DFormat.NHWC);
      long zero = zeroRows(maps);
      dead += zero;
      most = Math.max(most, zero);
      channels += maps.rows();
      if (layer.getKernel() instanceof RadialKernel) {
        sigmas.accept(((RadialKernel) layer.getKernel()).bandwidth(parameters).valueFor(maps));
      }
    }
    figures.put(Figure.DEAD_CHANNELS, (double) most);
    figures.put(Figure.DEAD_SHARE, (double) dead / channels);
    if (layer.getKernel() instanceof RadialKernel) {
      figures.put(Figure.SIGMA_MEAN, sigmas.getAverage());
      figures.put(Figure.SIGMA_MIN, sigmas.getMin());
      figures.put(Figure.SIGMA_MAX, sigmas.getMax());
    }
  }

  /** The feature maps of one image as the rows of a matrix [C, P]. */
  private static INDArray mapsOf(INDArray image, boolean channelsLast) {
    INDArray channelsFirst = channelsLast ? image.permute(2, 0, 1) : image;
    long channels = channelsFirst.size(0);
    return channelsFirst.castTo(DataType.DOUBLE).dup('c').reshape(channels, -1);
  }

  private static long zeroRows(INDArray maps) {
    INDArray norms = maps.norm1(1);
    long zero = 0;
    for (long i = 0; i < norms.length(); i++) {
      zero += norms.getDouble(i) == 0 ? 1 : 0;
    }
    return zero;
  }

  /** Eigenvalues of the first matrices of a stack [N, 1, C, C]. */
  static void spectrum(INDArray matrices, int sample, Map<Figure, Double> figures) {
    double smallest = Double.POSITIVE_INFINITY;
    double largest = Double.NEGATIVE_INFINITY;
    double condition = Double.NEGATIVE_INFINITY;
    int examples = (int) Math.min(sample, matrices.size(0));
    for (int i = 0; i < examples; i++) {
      double[] values = eigenvalues(matrices, i);
      double min = values[0];
      double max = values[values.length - 1];
      // A NaN stays: Math.min and Math.max return it.
      smallest = Math.min(smallest, min);
      largest = Math.max(largest, max);
      condition = Math.max(condition, min <= 0 ? Double.POSITIVE_INFINITY : max / min);
    }
    figures.put(Figure.LAMBDA_MIN, smallest);
    figures.put(Figure.LAMBDA_MAX, largest);
    figures.put(Figure.CONDITION, condition);
  }

  /** How many eigenvalues of the first matrices of a stack [N, 1, C, C] are below a floor. */
  static void floored(INDArray matrices, double floor, int sample, Map<Figure, Double> figures) {
    double most = 0;
    int examples = (int) Math.min(sample, matrices.size(0));
    for (int i = 0; i < examples; i++) {
      double[] values = eigenvalues(matrices, i);
      double below = Arrays.stream(values).filter(value -> value < floor).count();
      most = Math.max(most, Double.isNaN(values[0]) ? Double.NaN : below);
    }
    figures.put(Figure.FLOORED, most);
  }

  /** How many of the first matrices of a stack [N, 1, C, C] have a trace without a square root. */
  static void withoutRoot(INDArray matrices, int sample, Map<Figure, Double> figures) {
    double without = 0;
    int examples = (int) Math.min(sample, matrices.size(0));
    for (int i = 0; i < examples; i++) {
      double trace = 0;
      for (long k = 0; k < matrices.size(2); k++) {
        trace += matrices.getDouble(i, 0, k, k);
      }
      without += trace <= NumericPolicy.TRACE_FLOOR ? 1 : 0;
    }
    figures.put(Figure.FLOORED, without);
  }

  /**
   * How many variances of a mixture were raised to its floor. The floor is not kept; but what was
   * raised to it is equal, and nothing is smaller.
   */
  static void variances(INDArray variances, Map<Figure, Double> figures) {
    double[] values = variances.reshape(variances.length()).toDoubleVector();
    double smallest = Arrays.stream(values).min().orElse(Double.NaN);
    long equal = Arrays.stream(values).filter(value -> value == smallest).count();
    figures.put(Figure.FLOORED, equal > 1 ? (double) equal : 0);
  }

  private static double[] eigenvalues(INDArray matrices, int i) {
    INDArray matrix = matrices.slice(i).reshape(matrices.size(2), matrices.size(3));
    // An error here would end a training run that the layers themselves let go on.
    boolean finite = Double.isFinite(matrix.castTo(DataType.DOUBLE).norm2Number().doubleValue());
    return finite ? Spd.eigenvalues(matrix) : new double[] {Double.NaN};
  }

  /** Norms of the gradient of W, given as a sum over so many examples. */
  static void gradient(
      INDArray w, INDArray gradient, double examples, Map<Figure, Double> figures) {
    INDArray exactW = w.castTo(DataType.DOUBLE);
    INDArray exact = gradient.castTo(DataType.DOUBLE);
    INDArray tangent = Stiefel.projection(exactW, exact);
    figures.put(Figure.GRADIENT, exact.norm2Number().doubleValue() / examples);
    figures.put(Figure.TANGENT_GRADIENT, tangent.norm2Number().doubleValue() / examples);
  }
}
