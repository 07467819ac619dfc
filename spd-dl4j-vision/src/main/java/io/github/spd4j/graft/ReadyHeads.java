/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.graft;

import io.github.spd4j.kernel.CovarianceKernel;
import io.github.spd4j.layers.BilinearPoolingLayer;
import io.github.spd4j.layers.CompactBilinearLayer;
import io.github.spd4j.layers.DropCov;
import io.github.spd4j.layers.FisherVectorLayer;
import io.github.spd4j.layers.KernelAggregationLayer;
import io.github.spd4j.layers.LogCholeskyLayer;
import io.github.spd4j.layers.LogEigLayer;
import io.github.spd4j.layers.LogMetric;
import io.github.spd4j.layers.MatrixPowerLayer;
import io.github.spd4j.layers.MatrixSquareRootLayer;
import io.github.spd4j.layers.ReEigLayer;
import io.github.spd4j.layers.SparseInverseLayer;
import io.github.spd4j.layers.SpdOutputLayer;
import io.github.spd4j.layers.SpdTransformLayer;
import io.github.spd4j.layers.SpdVectorizationLayer;
import io.github.spd4j.layers.TextureEncodingLayer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.apache.commons.lang3.Validate;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.GlobalPoolingLayer;
import org.deeplearning4j.nn.conf.layers.Layer;
import org.deeplearning4j.nn.conf.layers.PoolingType;
import org.deeplearning4j.nn.conf.layers.SubsamplingLayer;
import org.nd4j.linalg.activations.Activation;

/**
 * The heads of the paper and of its rivals, which users ask {@link Head} for: {@code
 * Head.spdRoot(256)}.
 */
abstract class ReadyHeads {

  /** What is added to the diagonal of a matrix whose logarithm is taken, unless set. */
  static final double LOGARITHM_RIDGE = 1e-3;

  private static final int POOL = 2;
  private static final int WIDTH = 4096;
  private static final double RETAINED = 0.5;

  ReadyHeads() {}

  /**
   * The SPD aggregation: {@code kernel matrix → transforms → vector}.
   *
   * @param sizes the size of each transform, none larger than what goes into it
   * @return a head with an RBF kernel and both normalisations
   */
  public static Head spd(int... sizes) {
    Objects.requireNonNull(sizes, "sizes");
    Head alone = Head.of(kernel(0), vector(SpdVectorizationLayer.Builder::new));
    return transformed(alone, sizes, false);
  }

  /**
   * The SPD aggregation with the square root of the matrix in place of the square roots of its
   * entries: {@code kernel matrix → transforms → square root → vector → l2 normalisation}.
   *
   * @param sizes the size of each transform, none larger than what goes into it
   * @return a head with an RBF kernel and a {@link MatrixSquareRootLayer}
   */
  public static Head spdRoot(int... sizes) {
    Objects.requireNonNull(sizes, "sizes");
    return transformed(matrixFunction(0, MatrixSquareRootLayer.Builder::new), sizes, false);
  }

  /**
   * The kernel aggregation alone, the paper's "kernel aggregation layer" without transform and
   * vectorisation: the entries of the kernel matrix go to the classifier as they are. Of two equal
   * entries only one does, times √2, which changes no product with another such vector.
   *
   * @return a head with an RBF kernel and without normalisations
   */
  public static Head kernelOnly() {
    return spd().powerNormalization(false).l2Normalization(false);
  }

  /**
   * Bilinear pooling, as in B-CNN: {@code F Fᵀ / P → signed square root → l2 normalisation}.
   *
   * @return a head of a {@link BilinearPoolingLayer}
   */
  public static Head bilinear() {
    return Head.of(vector(BilinearPoolingLayer.Builder::new));
  }

  /**
   * The encoding of Deep-TEN: {@code residuals from learnt codewords → l2 normalisation}. The paper
   * reduces ResNet50's last feature maps, the zoo's {@code res5c_branch}, to 128 with a {@link
   * Head#convolution} and a {@link Head#batchNormalization}.
   *
   * @return a head of a {@link TextureEncodingLayer} with 32 codewords
   */
  public static Head deepTen() {
    return Head.of(vector(TextureEncodingLayer.Builder::new)).powerNormalization(false);
  }

  /**
   * Improved Fisher vectors of the feature maps, as in FV-CNN: {@code principal components →
   * gradients of a Gaussian mixture → signed square root → l2 normalisation}. The network computes
   * only after the mixture was fitted to training images, by {@code FisherVectors} of {@code
   * io.github.spd4j.train}.
   *
   * @return a head of a {@link FisherVectorLayer} with 64 components and all dimensions
   */
  public static Head fisherVectors() {
    return Head.of(vector(FisherVectorLayer.Builder::new));
  }

  /**
   * The same of fewer principal components, which is faster and needs less memory.
   *
   * @param dimensions the principal components that are kept, at most as many as feature maps
   * @return a head of a {@link FisherVectorLayer} with 64 components
   */
  public static Head fisherVectors(int dimensions) {
    Validate.isTrue(dimensions >= 1, "expected at least 1 dimension, got %s", dimensions);
    return Head.of(vector(() -> new FisherVectorLayer.Builder().dimensions(dimensions)));
  }

  /**
   * Covariance pooling with the matrix square root, as in iSQRT-COV: {@code covariance → square
   * root → vector → l2 normalisation}. The paper has no normalisation of the vector; here it is on,
   * so that the head learns at the rates of the others.
   *
   * @return a head with a covariance kernel and a {@link MatrixSquareRootLayer}
   */
  public static Head covarianceRoot() {
    return spdRoot().kernel(new CovarianceKernel());
  }

  /**
   * The logarithm of the kernel matrix: {@code kernel matrix + ridge → logarithm → vector → l2
   * normalisation}. The eigenvalues cost much: mind the number of channels.
   *
   * @return a head with an RBF kernel, a ridge of {@value #LOGARITHM_RIDGE} and a {@link
   *     LogEigLayer}
   */
  public static Head logEuclidean() {
    return matrixFunction(LOGARITHM_RIDGE, LogEigLayer.Builder::new);
  }

  /**
   * A power of the covariance, as in MPN-COV, by eigenvalues: {@code covariance → power → vector →
   * l2 normalisation}. {@link #covarianceRoot} is faster for ½.
   *
   * @param exponent such as ½ or ¼, not 0
   * @return a head with a covariance kernel and a {@link MatrixPowerLayer}
   */
  public static Head covariancePower(double exponent) {
    return matrixFunction(0, () -> new MatrixPowerLayer.Builder().exponent(exponent))
        .kernel(new CovarianceKernel());
  }

  /**
   * Sparse partial correlations, as in iSICE: {@code covariance → sparse inverse → vector → l2
   * normalisation}. The paper has no normalisation of the vector.
   *
   * @return a head with a covariance kernel and a {@link SparseInverseLayer}
   */
  public static Head partialCorrelation() {
    return matrixFunction(0, SparseInverseLayer.Builder::new).kernel(new CovarianceKernel());
  }

  /**
   * Covariance pooling with adaptive dropout of feature maps, as in DropCov: {@code dropout of maps
   * → covariance → vector → signed square root → l2 normalisation}.
   *
   * @return a head with a covariance kernel and a {@link DropCov}
   */
  public static Head dropCov() {
    return spd()
        .kernel(new CovarianceKernel())
        .with(KernelAggregationLayer.Builder.class, kernel -> kernel.dropOut(new DropCov()));
  }

  /**
   * Log-Cholesky coordinates of the kernel matrix: {@code kernel matrix + ridge → logarithm of the
   * Cholesky factor's diagonal → vector}. It needs no eigenvalues.
   *
   * @return a head with an RBF kernel, a ridge of {@value #LOGARITHM_RIDGE} and a {@link
   *     LogCholeskyLayer}, which has neither normalisation nor scale
   */
  public static Head logCholesky() {
    return Head.of(kernel(LOGARITHM_RIDGE), vector(LogCholeskyLayer.Builder::new));
  }

  /**
   * SPDNet on the covariance of the feature maps: {@code covariance + ridge → (transform →
   * rectified eigenvalues)… → logarithm → vector → l2 normalisation}. The paper has no
   * normalisation of the vector; here it is on, so that the head learns at the rates of the others.
   *
   * @param sizes the size of each transform, none larger than what goes into it
   * @return a head with a covariance kernel, a ridge of {@value #LOGARITHM_RIDGE}, transforms, each
   *     with a {@link ReEigLayer}, and a {@link LogEigLayer}
   */
  public static Head spdNet(int... sizes) {
    Objects.requireNonNull(sizes, "sizes");
    return transformed(logEuclidean().kernel(new CovarianceKernel()), sizes, true);
  }

  /**
   * A classifier on the manifold: {@code kernel matrix + ridge → SPD classifier}. It learns by
   * gradient descent and is not fitted.
   *
   * @param metric its metric
   * @return a head with an RBF kernel, a ridge of {@value #LOGARITHM_RIDGE} and an {@link
   *     SpdOutputLayer}
   */
  public static Head spdClassifier(LogMetric metric) {
    Objects.requireNonNull(metric, "metric");
    return Head.of(kernel(LOGARITHM_RIDGE))
        .classifier(() -> new SpdOutputLayer.Builder().metric(metric));
  }

  /**
   * Compact bilinear pooling: {@code sketch of F Fᵀ / P → signed square root → l2 normalisation}.
   *
   * @param sketchSize the length of the vector, at least 1
   * @return a head of a {@link CompactBilinearLayer}
   */
  public static Head compactBilinear(int sketchSize) {
    return Head.of(vector(() -> new CompactBilinearLayer.Builder().sketchSize(sketchSize)));
  }

  /**
   * The mean of each feature map.
   *
   * @return a head of a {@link GlobalPoolingLayer}
   */
  public static Head averagePooling() {
    return Head.of(vector(() -> new GlobalPoolingLayer.Builder(PoolingType.AVG)));
  }

  /**
   * Fully connected layers, as in VGG16. What the backbone has of them after the cut stays, with
   * its weights, and only the classifier is replaced; to a backbone without any, a 2×2 max pooling
   * and two layers of 4096 with dropout are added.
   *
   * <p>They bind the network to one size of images. {@link SpdGraft#frozenBackbone} leaves them
   * trainable: it freezes what lies before the cut.
   *
   * @return the head
   */
  public static Head fullyConnected() {
    Supplier<DenseLayer.Builder> dense =
        () -> new DenseLayer.Builder().nOut(WIDTH).activation(Activation.RELU).dropOut(RETAINED);
    return Head.of(
        Part.fullyConnected(
            Part.layer(
                SpdGraft.POOLING,
                () ->
                    new SubsamplingLayer.Builder(SubsamplingLayer.PoolingType.MAX)
                        .kernelSize(POOL, POOL)
                        .stride(POOL, POOL)),
            Part.layer(SpdGraft.FULLY_CONNECTED + 0, dense),
            Part.layer(SpdGraft.FULLY_CONNECTED + 1, dense)));
  }

  private static Part kernel(double ridge) {
    return Part.layer(
        SpdGraft.AGGREGATION, () -> new KernelAggregationLayer.Builder().ridge(ridge));
  }

  private static Part vector(Supplier<? extends Layer.Builder<?>> builder) {
    return Part.layer(SpdGraft.VECTOR, builder);
  }

  private static Head matrixFunction(double ridge, Supplier<? extends Layer.Builder<?>> function) {
    return Head.of(
            kernel(ridge),
            Part.layer(SpdGraft.FUNCTION, function),
            vector(SpdVectorizationLayer.Builder::new))
        .powerNormalization(false);
  }

  private static Head transformed(Head head, int[] sizes, boolean rectified) {
    List<Part> all = new ArrayList<>();
    for (int i = 0; i < sizes.length; i++) {
      int size = sizes[i];
      all.add(Part.layer(SpdGraft.transform(i), () -> new SpdTransformLayer.Builder().nOut(size)));
      if (rectified) {
        all.add(Part.layer(SpdGraft.rectifier(i), ReEigLayer.Builder::new));
      }
    }
    return head.after(SpdGraft.AGGREGATION, all.toArray(Part[]::new));
  }
}
