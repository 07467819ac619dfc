/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.encoding;

import io.github.spd4j.linalg.Matrices;
import java.util.Arrays;
import java.util.Objects;
import org.apache.commons.lang3.Validate;
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
    Objects.requireNonNull(weights, "weights");
    Objects.requireNonNull(means, "means");
    Objects.requireNonNull(variances, "variances");
    Validate.isTrue(
        means.rank() == 2
            && Arrays.equals(means.shape(), variances.shape())
            && Arrays.equals(weights.shape(), new long[] {1, means.size(0)}),
        "expected weights [1, K], means [K, D] and variances [K, D], got shapes %s, %s and %s",
        Arrays.toString(weights.shape()),
        Arrays.toString(means.shape()),
        Arrays.toString(variances.shape()));
    this.weights = weights;
    this.means = means;
    this.variances = variances;
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
    return logLikelihoods(logJoint(rows)).meanNumber().doubleValue();
  }
}
