/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.encoding;

import io.github.spd4j.internal.backend.Arguments;
import io.github.spd4j.linalg.Matrices;
import java.util.Arrays;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.ops.transforms.Transforms;

/**
 * {@code p(y) = Σ_k w_k N(y | μ_k, diag(σ_k²))}: a mixture of K Gaussians with diagonal covariances
 * in D dimensions.
 *
 * <p>{@link ExpectationMaximization} fits one to descriptors.
 */
public final class GaussianMixture {

  private final INDArray weights;
  private final INDArray means;
  private final INDArray variances;

  /**
   * A mixture. The arrays are not copied, and must not change afterwards.
   *
   * @param weights w [1, K], which add up to 1
   * @param means μ [K, D]
   * @param variances σ² [K, D], greater than 0
   */
  public GaussianMixture(INDArray weights, INDArray means, INDArray variances) {
    Arguments.matrix(weights, "weights");
    Arguments.matrix(means, "means");
    Arguments.shaped(variances, "variances", means);
    if (weights.size(0) != 1 || weights.size(1) != means.size(0)) {
      throw Arguments.refused(
          "weights",
          "one for each of " + means.size(0) + " components [1, K]",
          "shape " + Arrays.toString(weights.shape()));
    }
    least(weights, 0, "weights");
    Matrices.requireFinite(means, "means");
    least(variances, Double.MIN_VALUE, "variances");
    this.weights = weights;
    this.means = means;
    this.variances = variances;
  }

  private static void least(INDArray array, double least, String name) {
    Matrices.requireFinite(array, name);
    double smallest = array.minNumber().doubleValue();
    if (smallest < least) {
      throw Arguments.refused(name, least > 0 ? "more than 0" : "none below 0", smallest);
    }
  }

  /**
   * The number K of components.
   *
   * @return at least 1
   */
  public int components() {
    return means.rows();
  }

  /**
   * The number D of dimensions.
   *
   * @return at least 1
   */
  public int dimensions() {
    return means.columns();
  }

  /**
   * The weights w of the components, which add up to 1.
   *
   * @return [1, K], not to be changed
   */
  public INDArray weights() {
    return weights;
  }

  /**
   * The means μ of the components.
   *
   * @return [K, D], not to be changed
   */
  public INDArray means() {
    return means;
  }

  /**
   * The variances σ² of the components in each dimension.
   *
   * @return [K, D], not to be changed
   */
  public INDArray variances() {
    return variances;
  }

  /**
   * {@code log(w_k N(y_i | μ_k, σ_k²))}.
   *
   * @param rows y [n, D], of the type of the mixture
   * @return a new array [n, K]
   */
  INDArray logJoint(INDArray rows) {
    long k = components();
    INDArray precisions = variances.rdiv(1);
    INDArray squared = rows.mul(rows);
    INDArray result = Matrices.transposeSecond(squared, precisions.mul(-0.5));
    INDArray linear = Matrices.transposeSecond(rows, means.mul(precisions));
    result.addi(linear);
    Matrices.closeAll(squared, linear);
    INDArray constants = Transforms.log(variances).addi(Math.log(2 * Math.PI));
    constants.addi(means.mul(means).muli(precisions));
    INDArray sums = constants.reshape(1, k, dimensions()).sum(true, 2).reshape(1, k);
    return result.addi(sums.muli(-0.5).addi(Transforms.log(weights)));
  }

  /**
   * {@code log p(y_i)}, summed so that no exponential overflows.
   *
   * @param logJoint what {@link #logJoint} returned, [n, K]
   * @return a new array [n, 1]
   */
  static INDArray logLikelihoods(INDArray logJoint) {
    INDArray largest = logJoint.max(true, 1);
    INDArray sums = Transforms.exp(logJoint.sub(largest), false).sum(true, 1);
    return Transforms.log(sums, false).addi(largest);
  }

  /**
   * The mean of {@code log p(y_i)}.
   *
   * @param rows y [n, D], of the type of the mixture
   * @return the mean log-likelihood
   */
  public double meanLogLikelihood(INDArray rows) {
    Arguments.matrix(rows, "rows");
    if (rows.size(1) != dimensions() || rows.dataType() != means.dataType()) {
      throw Arguments.refused(
          "rows",
          "[n, " + dimensions() + "] of " + means.dataType(),
          "shape " + Arrays.toString(rows.shape()) + " of " + rows.dataType());
    }
    Matrices.requireFinite(rows, "rows");
    return logLikelihoods(logJoint(rows)).meanNumber().doubleValue();
  }
}
