/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.layers;

import java.util.Arrays;
import java.util.Objects;
import org.deeplearning4j.exception.DL4JInvalidInputException;
import org.deeplearning4j.nn.conf.CNN2DFormat;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.shade.jackson.annotation.JsonCreator;
import org.nd4j.shade.jackson.annotation.JsonProperty;

/**
 * Drops whole feature maps before a covariance is taken of them, the more the less the maps that
 * are strong go together with the others.
 *
 * <pre>
 * π = softmax(means of the maps),  ω = Σ 1 (the sums of the rows of their covariance)
 * ρ = 1 − γ / log₂ C · mean over the images of ⟨π, ω⟩ / (‖π‖ ‖ω‖),  at least 0 and at most `most`
 * f_i ← 0 with probability ρ, and f_i / (1 − ρ) otherwise
 * </pre>
 *
 * <p>It is a dropout of DL4J, for any layer with feature maps as input: {@code new
 * KernelAggregationLayer.Builder().kernel(new CovarianceKernel()).dropOut(new DropCov())}. Masks
 * are drawn from ND4J's random generator, for each image anew; ρ is one number a batch, and a
 * constant for the backward pass. At test time nothing is dropped. Covariances of two maps keep
 * their expectation; variances are greater by 1/(1 − ρ) while training. ρ takes C·P operations an
 * image, for the covariance itself is not needed.
 *
 * <p>Paper: Wang, Gao, Zhang, Xie, Li, Hu, <i>DropCov: A Simple yet Effective Method for Improving
 * Deep Architectures</i>, NeurIPS 2022, adaptive channel dropout, as in the authors' code with γ =
 * 10, but for two things. There the means go through a learnt convolution of three weights, whose
 * softmax also raises the maps a little, while training alone; here they do not. And there ρ may
 * reach 1, where nothing is left to learn from, as with maps that take both signs; here it is
 * {@value #DEFAULT_MOST} at most unless set otherwise.
 *
 * <p>When not to use it: with a classifier that is fitted, not trained, which never sees a dropped
 * map. For a rate of your own take DL4J's {@code SpatialDropout}.
 */
public final class DropCov extends MaskedDropout {

  private static final long serialVersionUID = 1L;

  /** γ unless set, that of the authors' code. */
  public static final double DEFAULT_GAMMA = 10;

  /** The largest ρ unless set. */
  public static final double DEFAULT_MOST = 0.5;

  private final double gamma;
  private final double most;
  private final CNN2DFormat format;

  /** γ = 10, and at most half of the maps. */
  public DropCov() {
    this(DEFAULT_GAMMA, DEFAULT_MOST);
  }

  /**
   * Another γ, or another bound.
   *
   * @param gamma γ, greater than 0; the greater, the fewer maps are dropped
   * @param most the largest ρ, greater than 0 and less than 1
   */
  public DropCov(double gamma, double most) {
    this(gamma, most, CNN2DFormat.NCHW);
  }

  @JsonCreator
  private DropCov(
      @JsonProperty("gamma") double gamma,
      @JsonProperty("most") double most,
      @JsonProperty("format") CNN2DFormat format) {
    if (!(gamma > 0) || Double.isInfinite(gamma)) {
      throw new IllegalArgumentException(
          "DropCov: expected a finite gamma greater than 0, got gamma = " + gamma);
    }
    if (!(most > 0 && most < 1)) {
      throw new IllegalArgumentException(
          "DropCov: expected the largest rate between 0 and 1, got most = " + most);
    }
    this.gamma = gamma;
    this.most = most;
    this.format = Objects.requireNonNull(format, "format");
  }

  /**
   * The same for another format of the maps. A layer of feature maps sets its own.
   *
   * @param format NCHW, the default, or NHWC
   * @return a copy; this one is not changed
   */
  public DropCov withFormat(CNN2DFormat format) {
    return new DropCov(gamma, most, format);
  }

  /**
   * Where the channels of the maps are.
   *
   * @return NCHW or NHWC
   */
  public CNN2DFormat getFormat() {
    return format;
  }

  private boolean channelsLast() {
    return format == CNN2DFormat.NHWC;
  }

  /**
   * What the agreement of strength and correlation is multiplied by.
   *
   * @return γ
   */
  public double getGamma() {
    return gamma;
  }

  /**
   * The largest rate.
   *
   * @return ρ at most
   */
  public double getMost() {
    return most;
  }

  /**
   * The rate for a batch.
   *
   * @param maps [N, C, H, W], or [N, H, W, C] if that is the {@linkplain #getFormat format}; not
   *     changed
   * @return ρ; 0 for a single map
   */
  public double rate(INDArray maps) {
    requireMaps(Objects.requireNonNull(maps, "maps"));
    INDArray ordered = channelsLast() ? maps.permute(0, 3, 1, 2) : maps;
    long channels = ordered.size(1);
    if (channels == 1) {
      return 0;
    }
    INDArray rows = ordered.dup('c').reshape(maps.size(0), channels, -1);
    INDArray means = rows.mean(true, 2);
    rows.subi(means);
    INDArray sums = rows.mul(rows.sum(true, 1)).sum(2);
    double[][] strengths = means.reshape(maps.size(0), channels).toDoubleMatrix();
    double[][] correlations = sums.toDoubleMatrix();
    double agreement = 0;
    for (int i = 0; i < strengths.length; i++) {
      agreement += cosine(softmax(strengths[i]), correlations[i]) / strengths.length;
    }
    double rate = 1 - gamma * agreement * Math.log(2) / Math.log(channels);
    return Math.max(0, Math.min(most, rate));
  }

  private static void requireMaps(INDArray maps) {
    if (maps.rank() != 4) {
      throw new DL4JInvalidInputException(
          "DropCov: expected feature maps [N, C, H, W], got shape "
              + Arrays.toString(maps.shape())
              + "; give it to a layer behind a convolution");
    }
  }

  private static double[] softmax(double[] x) {
    double largest = Arrays.stream(x).max().orElseThrow();
    return Arrays.stream(x).map(v -> Math.exp(v - largest)).toArray();
  }

  /** 0 where there is no correlation at all. */
  private static double cosine(double[] a, double[] b) {
    double product = 0;
    double squareA = 0;
    double squareB = 0;
    double largest = Arrays.stream(b).map(Math::abs).max().orElseThrow();
    for (int k = 0; k < a.length && largest > 0; k++) {
      double other = b[k] / largest;
      product += a[k] * other;
      squareA += a[k] * a[k];
      squareB += other * other;
    }
    return largest > 0 ? product / Math.sqrt(squareA * squareB) : 0;
  }

  @Override
  INDArray draw(INDArray input) {
    requireMaps(input);
    return channelsLast()
        ? Nd4j.rand(input.dataType(), input.size(0), 1, 1, input.size(3))
        : Nd4j.rand(input.dataType(), input.size(0), input.size(1), 1, 1);
  }

  @Override
  INDArray maskOf(INDArray input, INDArray drawn) {
    double rate = rate(input);
    return drawn.gte(rate).castTo(input.dataType()).divi(1 - rate);
  }

  @Override
  public DropCov clone() {
    return withFormat(format);
  }

  @Override
  public boolean equals(Object o) {
    return o instanceof DropCov
        && ((DropCov) o).gamma == gamma
        && ((DropCov) o).most == most
        && ((DropCov) o).format == format;
  }

  @Override
  public int hashCode() {
    return Objects.hash(gamma, most, format);
  }

  @Override
  public String toString() {
    return "DropCov(gamma=" + gamma + ", most=" + most + ", format=" + format + ")";
  }
}
