/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.graft;

import io.github.spd4j.kernel.CovarianceKernel;
import io.github.spd4j.layers.DropCov;
import io.github.spd4j.layers.LogMetric;
import io.github.spd4j.layers.MatrixSquareRootLayer;
import io.github.spd4j.linalg.NumericPolicy;
import io.github.spd4j.train.plan.TrainingPlan;
import org.deeplearning4j.nn.conf.layers.BaseOutputLayer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.lossfunctions.LossFunctions.LossFunction;

/**
 * What {@link SpdGraft} puts on a backbone, from the feature maps to the vector or the matrix that
 * the classifier sees.
 *
 * <p>The heads differ in one line, so that they can be compared:
 *
 * <pre>{@code
 * Head.spd().convolution(512).identityStart().transforms(512).scale(10)   // the paper's
 * Head.kernelOnly().convolution(512)                                      // K and nothing else
 * Head.spdRoot(256).convolution(512).identityStart().scale(10)            // ours, matrix root
 * Head.covarianceRoot().convolution(256).scale(10)                        // iSQRT-COV
 * Head.logEuclidean().convolution(64).scale(10)                           // log K
 * Head.spdNet(64).convolution(128).scale(10)                              // SPDNet
 * Head.bilinear().scale(10)                                               // B-CNN
 * Head.deepTen().convolution(128).batchNormalization()                    // Deep-TEN
 * Head.fisherVectors()                                                    // FV-CNN
 * Head.fisherVectors().withFullyConnected()                               // FV-FC-CNN
 * Head.compactBilinear(8192).scale(10)
 * Head.averagePooling()
 * Head.fullyConnected()                                                   // VGG16 as it was
 * }</pre>
 *
 * <p>A head may be used for any number of grafts.
 */
public abstract class Head {

  /** What is added to the diagonal of a matrix whose logarithm is taken, unless set. */
  static final double LOGARITHM_RIDGE = 1e-3;

  Head() {}

  /**
   * The SPD aggregation: {@code [1×1 convolution, ReLU] → kernel matrix → transforms → vector}.
   *
   * @return a head with an RBF kernel, both normalisations, and neither a convolution nor
   *     transforms yet
   */
  public static SpdHead spd() {
    return new SpdHead();
  }

  /**
   * The SPD aggregation with the square root of the matrix in place of the square roots of its
   * entries: {@code [1×1 convolution, ReLU] → kernel matrix → transform → square root → vector → l2
   * normalisation}.
   *
   * @param sizes the size of each transform, none larger than what goes into it
   * @return an {@link SpdHead} with an RBF kernel and a square root
   */
  public static SpdHead spdRoot(int... sizes) {
    return new SpdHead()
        .transforms(sizes)
        .squareRoot(MatrixSquareRootLayer.DEFAULT_ITERATIONS)
        .powerNormalization(false);
  }

  /**
   * The kernel aggregation alone, the paper's "kernel aggregation layer" without transform and
   * vectorisation: the entries of the kernel matrix go to the classifier as they are. Of two equal
   * entries only one does, times √2, which changes no product with another such vector.
   *
   * @return an {@link SpdHead} with an RBF kernel and without normalisations
   */
  public static SpdHead kernelOnly() {
    return new SpdHead().powerNormalization(false).l2Normalization(false);
  }

  /**
   * Bilinear pooling, as in B-CNN: {@code [1×1 convolution, ReLU] → F Fᵀ / P → signed square root →
   * l2 normalisation}.
   *
   * @return a head without a convolution
   */
  public static BilinearHead bilinear() {
    return new BilinearHead();
  }

  /**
   * The encoding of Deep-TEN: {@code [1×1 convolution, batch normalisation, ReLU] → residuals from
   * learnt codewords → l2 normalisation}.
   *
   * @return a head with 32 codewords, without a convolution and a power normalisation
   */
  public static TextureEncodingHead deepTen() {
    return new TextureEncodingHead().powerNormalization(false);
  }

  /**
   * Improved Fisher vectors of the feature maps, as in FV-CNN: {@code principal components →
   * gradients of a Gaussian mixture → signed square root → l2 normalisation}. The network computes
   * only after the mixture was fitted to training images, by {@code FisherVectors} of {@code
   * io.github.spd4j.train}.
   *
   * @return a head with 64 components and all dimensions, without a convolution
   */
  public static FisherVectorHead fisherVectors() {
    return new FisherVectorHead();
  }

  /**
   * Covariance pooling with the matrix square root, as in iSQRT-COV: {@code [1×1 convolution, ReLU]
   * → covariance → square root → vector → l2 normalisation}. The paper has no normalisation of the
   * vector; here it is on, so that the head learns at the rates of the others.
   *
   * @return an {@link SpdHead} with a covariance kernel and a square root
   */
  public static SpdHead covarianceRoot() {
    return new SpdHead()
        .kernel(new CovarianceKernel())
        .squareRoot(MatrixSquareRootLayer.DEFAULT_ITERATIONS)
        .powerNormalization(false);
  }

  /**
   * The logarithm of the kernel matrix: {@code [1×1 convolution, ReLU] → kernel matrix + ridge →
   * logarithm → vector → l2 normalisation}. The eigenvalues cost much: mind the number of channels.
   *
   * @return an {@link SpdHead} with an RBF kernel, a ridge of {@value #LOGARITHM_RIDGE} and a
   *     logarithm
   */
  public static SpdHead logEuclidean() {
    return new SpdHead()
        .ridge(LOGARITHM_RIDGE)
        .logarithm(NumericPolicy.EIGENVALUE_FLOOR)
        .powerNormalization(false);
  }

  /**
   * A power of the covariance, as in MPN-COV, by eigenvalues: {@code [1×1 convolution, ReLU] →
   * covariance → power → vector → l2 normalisation}. {@link #covarianceRoot} is faster for ½.
   *
   * @param exponent such as ½ or ¼, not 0
   * @return an {@link SpdHead} with a covariance kernel and a power
   */
  public static SpdHead covariancePower(double exponent) {
    return covarianceRoot().power(exponent, NumericPolicy.EIGENVALUE_FLOOR);
  }

  /**
   * Sparse partial correlations, as in iSICE: {@code [1×1 convolution, ReLU] → covariance → sparse
   * inverse → vector → l2 normalisation}. The paper has no normalisation of the vector.
   *
   * @return an {@link SpdHead} with a covariance kernel and a sparse inverse
   */
  public static SpdHead partialCorrelation() {
    return covarianceRoot().sparseInverse();
  }

  /**
   * Covariance pooling with adaptive dropout of feature maps, as in DropCov: {@code [1×1
   * convolution, ReLU] → dropout of maps → covariance → vector → signed square root → l2
   * normalisation}.
   *
   * @return an {@link SpdHead} with a covariance kernel and a {@link DropCov}
   */
  public static SpdHead dropCov() {
    return new SpdHead().kernel(new CovarianceKernel()).mapDropout(new DropCov());
  }

  /**
   * Log-Cholesky coordinates of the kernel matrix: {@code [1×1 convolution, ReLU] → kernel matrix +
   * ridge → logarithm of the Cholesky factor's diagonal → vector}. It needs no eigenvalues.
   *
   * @return an {@link SpdHead} with an RBF kernel, a ridge of {@value #LOGARITHM_RIDGE} and a
   *     {@link io.github.spd4j.layers.LogCholeskyLayer}, for which there is no normalisation
   */
  public static SpdHead logCholesky() {
    return new SpdHead().ridge(LOGARITHM_RIDGE).choleskyVector();
  }

  /**
   * SPDNet on the covariance of the feature maps: {@code [1×1 convolution, ReLU] → covariance +
   * ridge → (transform → rectified eigenvalues)… → logarithm → vector → l2 normalisation}. The
   * paper has no normalisation of the vector; here it is on, so that the head learns at the rates
   * of the others.
   *
   * @param sizes the size of each transform, none larger than what goes into it
   * @return an {@link SpdHead} with a covariance kernel, a ridge of {@value #LOGARITHM_RIDGE},
   *     transforms, rectified eigenvalues and a logarithm
   */
  public static SpdHead spdNet(int... sizes) {
    return logEuclidean()
        .kernel(new CovarianceKernel())
        .transforms(sizes)
        .eigenvalueRectifier(NumericPolicy.EIGENVALUE_FLOOR);
  }

  /**
   * A classifier on the manifold: {@code [1×1 convolution, ReLU] → kernel matrix + ridge → SPD
   * classifier}. It learns by gradient descent and is not fitted.
   *
   * @param metric its metric
   * @return an {@link SpdHead} with an RBF kernel, a ridge of {@value #LOGARITHM_RIDGE} and an
   *     {@link io.github.spd4j.layers.SpdOutputLayer}
   */
  public static SpdHead spdClassifier(LogMetric metric) {
    return new SpdHead().ridge(LOGARITHM_RIDGE).matrixClassifier(metric);
  }

  /**
   * Compact bilinear pooling: {@code [1×1 convolution, ReLU] → sketch of F Fᵀ / P → signed square
   * root → l2 normalisation}.
   *
   * @param sketchSize the length of the vector, at least 1
   * @return a head without a convolution
   */
  public static CompactBilinearHead compactBilinear(int sketchSize) {
    return new CompactBilinearHead(sketchSize);
  }

  /**
   * The mean of each feature map.
   *
   * @return a head without a convolution
   */
  public static AveragePoolingHead averagePooling() {
    return new AveragePoolingHead();
  }

  /**
   * Fully connected layers, as in VGG16. What the backbone has of them after the cut stays, with
   * its weights, and only the classifier is replaced; to a backbone without any, a 2×2 max pooling
   * and two layers of 4096 with dropout are added.
   *
   * @return the head
   */
  public static FullyConnectedHead fullyConnected() {
    return new FullyConnectedHead();
  }

  /**
   * {@link TrainingPlan#recommended()} for this head: a convolution that starts with random weights
   * has a smaller rate in stage one if average or bilinear pooling follows, or a kernel matrix
   * without a square root, logarithm or the like.
   *
   * @return the plan
   */
  public TrainingPlan recommendedPlan() {
    return TrainingPlan.recommended();
  }

  /** The last vertex of the backbone that is kept. */
  String foot(Cut cut) {
    return cut.layer();
  }

  /**
   * Puts the layers on, up to what the classifier sees.
   *
   * @param stem where
   * @param convolution what is set for the 1×1 convolution
   * @param transforms what is set for the transforms
   */
  abstract void grow(Stem stem, PartSettings convolution, PartSettings transforms);

  /** The classifier, which gets its size from the graft. */
  BaseOutputLayer.Builder<?> classifier() {
    return new OutputLayer.Builder(LossFunction.MCXENT).activation(Activation.SOFTMAX);
  }

  /** Sets first parameters that no random initialisation gives. */
  void start(ComputationGraph net) {
    // none
  }
}
