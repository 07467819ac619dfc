/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.graft;

import io.github.spd4j.kernel.CovarianceKernel;
import io.github.spd4j.kernel.Kernel;
import io.github.spd4j.kernel.LedoitWolfKernel;
import io.github.spd4j.kernel.RbfKernel;
import io.github.spd4j.layers.KernelAggregationLayer;
import io.github.spd4j.layers.LogCholeskyLayer;
import io.github.spd4j.layers.LogEigLayer;
import io.github.spd4j.layers.LogMetric;
import io.github.spd4j.layers.MatrixPowerLayer;
import io.github.spd4j.layers.MatrixSquareRootLayer;
import io.github.spd4j.layers.ReEigLayer;
import io.github.spd4j.layers.Rectifier;
import io.github.spd4j.layers.ShrinkageLayer;
import io.github.spd4j.layers.SparseInverseLayer;
import io.github.spd4j.layers.SpdBatchNormalizationLayer;
import io.github.spd4j.layers.SpdLayer;
import io.github.spd4j.layers.SpdOutputLayer;
import io.github.spd4j.layers.SpdTransformLayer;
import io.github.spd4j.layers.SpdVectorizationLayer;
import io.github.spd4j.layers.StiefelInit;
import io.github.spd4j.layers.VectorLayerBuilder;
import java.util.Objects;
import org.apache.commons.lang3.ObjectUtils;
import org.apache.commons.lang3.Validate;
import org.deeplearning4j.nn.conf.dropout.IDropout;
import org.deeplearning4j.nn.conf.inputs.InputType;
import org.deeplearning4j.nn.conf.layers.BaseOutputLayer;
import org.deeplearning4j.nn.conf.layers.Layer;

/**
 * The SPD aggregation: an optional 1×1 convolution, a {@link KernelAggregationLayer}, an optional
 * {@link ShrinkageLayer}, any number of {@link SpdTransformLayer}s, each with an optional {@link
 * ReEigLayer}, an optional {@link SpdBatchNormalizationLayer}, an optional {@link
 * MatrixSquareRootLayer}, {@link MatrixPowerLayer} or {@link LogEigLayer}, and an {@link
 * SpdVectorizationLayer}, a {@link LogCholeskyLayer} or neither, where an {@link SpdOutputLayer}
 * follows.
 */
public final class SpdHead extends VectorHead<SpdHead> {

  private final KernelAggregationLayer.Builder aggregation = new KernelAggregationLayer.Builder();
  private final SpdVectorizationLayer.Builder vector = new SpdVectorizationLayer.Builder();
  private boolean centred;
  private int[] sizes = {};
  private StiefelInit init = StiefelInit.RANDOM;
  private Rectifier rectifier = Rectifier.NONE;
  private Double eigenvalueFloor;
  private SpdBatchNormalizationLayer.Builder normalization;
  private ShrinkageLayer.Builder shrinkage;
  private IDropout matrixDropout;
  private SpdLayer.Builder<?> function;
  private double logarithmFloor;
  private boolean residual;
  private boolean logCholesky;
  private LogMetric classifier;

  SpdHead() {}

  /**
   * The kernel, an {@link RbfKernel} unless set.
   *
   * @param kernel the kernel
   * @return this head
   */
  public SpdHead kernel(Kernel kernel) {
    aggregation.kernel(kernel);
    centred = kernel instanceof CovarianceKernel || kernel instanceof LedoitWolfKernel;
    return this;
  }

  /**
   * What is added to the diagonal of the kernel matrix; 0 unless set.
   *
   * @param epsilon not negative
   * @return this head
   */
  public SpdHead ridge(double epsilon) {
    aggregation.ridge(epsilon);
    return this;
  }

  /**
   * Brings the kernel matrix to the trace of I and shrinks it towards I, by a share that is learnt
   * ({@link ShrinkageLayer}); not done unless set.
   *
   * @param share where the share begins, between 0 and 1
   * @return this head
   */
  public SpdHead shrinkage(double share) {
    this.shrinkage = new ShrinkageLayer.Builder().learntFrom(share).traceNormalization(true);
    return this;
  }

  /**
   * Brings the kernel matrix to the trace of I and shrinks it towards I, by a share that stays as
   * it is ({@link ShrinkageLayer}); not done unless set.
   *
   * @param share from 0 to 1
   * @return this head
   */
  public SpdHead fixedShrinkage(double share) {
    this.shrinkage = new ShrinkageLayer.Builder().shrinkage(share).traceNormalization(true);
    return this;
  }

  /**
   * Brings the kernel matrix to the trace of I and does not shrink it ({@link ShrinkageLayer}); not
   * done unless set.
   *
   * @return this head
   */
  public SpdHead traceNormalization() {
    this.shrinkage = new ShrinkageLayer.Builder().traceNormalization(true);
    return this;
  }

  /**
   * The transforms; none unless set.
   *
   * @param sizes the size C' of each, none larger than what goes into it
   * @return this head
   */
  public SpdHead transforms(int... sizes) {
    this.sizes = sizes.clone();
    return this;
  }

  /**
   * The initial value of W in each transform, {@link StiefelInit#RANDOM} unless set.
   *
   * @param init the initialisation
   * @return this head
   */
  public SpdHead transformStart(StiefelInit init) {
    this.init = init;
    return this;
  }

  /**
   * The rectifier applied to the entries of the transformed matrices; none unless set.
   *
   * @param rectifier the rectifier
   * @return this head
   */
  public SpdHead rectifier(Rectifier rectifier) {
    this.rectifier = rectifier;
    return this;
  }

  /**
   * Raises the small eigenvalues of each transformed matrix ({@link ReEigLayer}); not done unless
   * set.
   *
   * @param floor what they are raised to, greater than 0
   * @return this head
   */
  public SpdHead eigenvalueRectifier(double floor) {
    this.eigenvalueFloor = floor;
    return this;
  }

  /**
   * Drops feature maps while training, before the kernel matrix is computed; not done unless set.
   *
   * @param dropout such as a {@link io.github.spd4j.layers.DropCov}
   * @return this head
   */
  public SpdHead mapDropout(IDropout dropout) {
    aggregation.dropOut(dropout);
    return this;
  }

  /**
   * Drops rows and columns of the last matrix while training, before its root or logarithm is
   * taken; not done unless set.
   *
   * @param dropout such as an {@link io.github.spd4j.layers.SpdDropout}
   * @return this head
   */
  public SpdHead matrixDropout(IDropout dropout) {
    this.matrixDropout = dropout;
    return this;
  }

  /**
   * Adds the logarithm of the kernel matrix to that of the last matrix, a residual connection in
   * the log-Euclidean metric; not done unless set. It needs a {@link #logarithm}, and transforms
   * that keep the size of the matrix.
   *
   * @return this head
   */
  public SpdHead residual() {
    this.residual = true;
    return this;
  }

  /**
   * Takes a sparse inverse of the last matrix ({@link SparseInverseLayer}) with the settings of its
   * paper, in place of a square root or a logarithm; not done unless set.
   *
   * @return this head
   */
  public SpdHead sparseInverse() {
    this.function = new SparseInverseLayer.Builder();
    return this;
  }

  /**
   * Normalises the last matrix over the batch ({@link SpdBatchNormalizationLayer}), before its root
   * or logarithm; not done unless set.
   *
   * @param metric the metric of mean and variance
   * @return this head
   */
  public SpdHead matrixNormalization(LogMetric metric) {
    this.normalization = new SpdBatchNormalizationLayer.Builder().metric(metric);
    return this;
  }

  /**
   * Takes the square root of the last matrix ({@link MatrixSquareRootLayer}), and no logarithm; not
   * done unless set.
   *
   * @param iterations at least 1; the paper's are {@link MatrixSquareRootLayer#DEFAULT_ITERATIONS}
   * @return this head
   */
  public SpdHead squareRoot(int iterations) {
    this.function = new MatrixSquareRootLayer.Builder().iterations(iterations);
    return this;
  }

  /**
   * Takes the logarithm of the last matrix ({@link LogEigLayer}), and no square root; not done
   * unless set.
   *
   * @param floor what smaller eigenvalues are raised to before, greater than 0
   * @return this head
   */
  public SpdHead logarithm(double floor) {
    this.function = new LogEigLayer.Builder().floor(floor);
    this.logarithmFloor = floor;
    return this;
  }

  /**
   * Raises the last matrix to a power ({@link MatrixPowerLayer}), in place of a square root or a
   * logarithm; not done unless set.
   *
   * @param exponent such as ¼, not 0
   * @param floor what smaller eigenvalues are raised to before, greater than 0
   * @return this head
   */
  public SpdHead power(double exponent, double floor) {
    this.function = new MatrixPowerLayer.Builder().exponent(exponent).floor(floor);
    return this;
  }

  /**
   * Ends in a {@link LogCholeskyLayer}, whose vector is neither normalised nor scaled, in place of
   * an {@link SpdVectorizationLayer}; not done unless set.
   *
   * @return this head
   */
  public SpdHead choleskyVector() {
    this.logCholesky = true;
    return this;
  }

  /**
   * Ends in the last matrix, which an {@link SpdOutputLayer} classifies, in place of a vector; not
   * done unless set. A {@link #logarithm} is left out: the classifier takes it itself, with the
   * same floor. Such a classifier learns by gradient descent and cannot be fitted.
   *
   * @param metric the metric of the classifier
   * @return this head
   */
  public SpdHead matrixClassifier(LogMetric metric) {
    this.classifier = Objects.requireNonNull(metric, "metric");
    return this;
  }

  @Override
  boolean wantsSmallSteps() {
    return function == null && !logCholesky && classifier == null && !centred;
  }

  @Override
  BaseOutputLayer.Builder<?> classifier() {
    if (classifier == null) {
      return super.classifier();
    }
    SpdOutputLayer.Builder output = new SpdOutputLayer.Builder().metric(classifier);
    return hasLogarithm() ? output.floor(logarithmFloor) : output;
  }

  @Override
  VectorLayerBuilder<?> vector() {
    return vector;
  }

  @Override
  void grow(Stem stem, PartSettings transforms) {
    SpdLayer.Builder<?> applied = applied();
    requireCompatible(applied);
    stem.add(SpdGraft.AGGREGATION, aggregation);
    if (shrinkage != null) {
      stem.add(SpdGraft.SHRINKAGE, shrinkage);
    }
    String aggregated = stem.tip();
    InputType matrix = stem.type();
    addTransforms(stem, transforms);
    Layer.Builder<?> last = logCholesky ? new LogCholeskyLayer.Builder() : vector;
    if (matrixDropout != null) {
      ObjectUtils.firstNonNull(normalization, applied, last).dropOut(matrixDropout);
    }
    if (normalization != null) {
      stem.add(SpdGraft.MATRIX_NORMALIZATION, normalization);
    }
    if (applied != null) {
      stem.add(SpdGraft.FUNCTION, applied);
    }
    if (residual) {
      addLogarithmOf(aggregated, matrix, stem);
    }
    if (classifier == null) {
      stem.add(SpdGraft.VECTOR, last);
    }
  }

  /** The function of the last matrix, or null for none: a classifier takes a logarithm itself. */
  private SpdLayer.Builder<?> applied() {
    return classifier != null && hasLogarithm() ? null : function;
  }

  private boolean hasLogarithm() {
    return function instanceof LogEigLayer.Builder;
  }

  private void requireCompatible(SpdLayer.Builder<?> applied) {
    Validate.isTrue(
        !logCholesky && classifier == null || scale() == 1,
        "expected no scale with choleskyVector() or matrixClassifier(), which have none, got %s",
        scale());
    Validate.isTrue(
        classifier == null || !residual && !logCholesky,
        "expected neither residual() nor choleskyVector() with matrixClassifier(), got one");
    Validate.isTrue(
        classifier == null || matrixDropout == null || normalization != null || applied != null,
        "expected no matrixDropout() right before matrixClassifier(), got one");
  }

  private void addTransforms(Stem stem, PartSettings settings) {
    for (int i = 0; i < sizes.length; i++) {
      SpdTransformLayer.Builder transform =
          new SpdTransformLayer.Builder().nOut(sizes[i]).init(init).rectifier(rectifier);
      if (settings.updater() != null) {
        transform.updater(settings.updater());
      }
      stem.add(SpdGraft.transform(i), transform);
      if (eigenvalueFloor != null) {
        stem.add(SpdGraft.rectifier(i), new ReEigLayer.Builder().floor(eigenvalueFloor));
      }
    }
  }

  private void addLogarithmOf(String aggregated, InputType matrix, Stem stem) {
    Validate.isTrue(
        hasLogarithm(),
        "expected a head with logarithm() for residual(), which adds another to it, got none");
    Validate.isTrue(
        stem.type().equals(matrix),
        "expected transforms that keep the size of the matrix for residual(), got %s from %s",
        stem.type(),
        matrix);
    String logarithm = stem.tip();
    stem.growFrom(aggregated, matrix);
    stem.add(SpdGraft.RESIDUAL, new LogEigLayer.Builder().floor(logarithmFloor));
    stem.sum(SpdGraft.SUM, logarithm);
  }
}
