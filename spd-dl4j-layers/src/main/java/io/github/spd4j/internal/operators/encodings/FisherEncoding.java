/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.encodings;

import io.github.spd4j.linalg.Matrices;
import java.util.List;
import java.util.Map;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.ops.transforms.Transforms;

/**
 * The Fisher vector of an image's descriptors y_i under a Gaussian mixture: the gradient of their
 * mean log-likelihood with respect to the means and standard deviations, each divided by the root
 * of its Fisher information.
 *
 * <pre>
 * γ_ik = w_k N(y_i | μ_k, σ_k²) / Σ_j w_j N(y_i | μ_j, σ_j²)
 * u_k = 1/(P √w_k)    Σ_i γ_ik (y_i − μ_k) / σ_k
 * v_k = 1/(P √(2w_k)) Σ_i γ_ik ((y_i − μ_k)² / σ_k² − 1)
 * output = [u_1, …, u_K, v_1, …, v_K]
 * </pre>
 *
 * <p>No array of P·K·D numbers is formed: all sums over i come from the products γᵀy and γᵀy².
 */
public final class FisherEncoding {

  private static final String POSTERIORS = "posteriors";

  private FisherEncoding() {}

  /**
   * The length of a Fisher vector.
   *
   * @param components K
   * @param dimensions D
   * @return 2·K·D
   */
  public static int length(int components, int dimensions) {
    return Math.multiplyExact(2, Math.multiplyExact(components, dimensions));
  }

  /**
   * Defines the encoding.
   *
   * @param sd where to define it
   * @param descriptors y [N, P, D]
   * @param positions P
   * @param mask 1 for each descriptor that counts, 0 elsewhere [N, P, 1]; null if all count. The
   *     sums are divided by P all the same
   * @param weights w [1, K]
   * @param means μ [K, D], of known shape
   * @param variances σ² [K, D]
   * @return [N, 2·K·D]
   */
  public static SDVariable define(
      SameDiff sd,
      SDVariable descriptors,
      long positions,
      SDVariable mask,
      SDVariable weights,
      SDVariable means,
      SDVariable variances) {
    long k = means.getShape()[0];
    long d = means.getShape()[1];
    SDVariable squares = descriptors.mul(descriptors);
    SDVariable precisions = variances.rdiv(1.0);
    SDVariable logits =
        sd.mmul(sd.reshape(squares, -1, d), precisions.mul(-0.5), false, true, false)
            .add(sd.mmul(sd.reshape(descriptors, -1, d), means.mul(precisions), false, true, false))
            .add(constants(sd, weights, means, variances, k, d));
    SDVariable shares = SoftAssignment.define(sd, logits, positions, k, mask).rename(POSTERIORS);

    SDVariable mass = SoftAssignment.mass(sd, shares, k);
    SDVariable first = sd.mmul(shares, descriptors, true, false, false);
    SDVariable second = sd.mmul(shares, squares, true, false, false);
    SDVariable mu = sd.reshape(means, 1, k, d);
    SDVariable variance = sd.reshape(variances, 1, k, d);
    SDVariable root = sd.math().sqrt(sd.reshape(weights, 1, k, 1)).mul((double) positions);
    SDVariable byMeans = first.sub(mass.mul(mu)).div(sd.math().sqrt(variance).mul(root));
    SDVariable byDeviations =
        second
            .sub(mu.mul(first).mul(2.0))
            .add(mass.mul(mu.mul(mu).sub(variance)))
            .div(variance.mul(root).mul(Math.sqrt(2)));
    return sd.concat(1, sd.reshape(byMeans, -1, k * d), sd.reshape(byDeviations, -1, k * d));
  }

  /** What of the logarithms of {@code w_k N(y | μ_k, σ_k²)} does not depend on y, [1, K]. */
  private static SDVariable constants(
      SameDiff sd, SDVariable weights, SDVariable means, SDVariable variances, long k, long d) {
    SDVariable terms = sd.math().log(variances).add(means.mul(means).div(variances));
    return sd.math().log(weights).add(SoftAssignment.rowSums(sd, terms, k, d).mul(-0.5));
  }

  /**
   * The names of the variables of {@link #define} whose values {@link #backward} needs.
   *
   * @return variable names
   */
  public static List<String> saved() {
    return List.of(POSTERIORS);
  }

  /**
   * The gradient with respect to the descriptors.
   *
   * @param saved the values of the {@link #saved} variables
   * @param descriptors y [N, P, D]
   * @param weights w [1, K], of the type of the descriptors
   * @param means μ [K, D]
   * @param variances σ² [K, D]
   * @param gradient the gradient with respect to the output [N, 2·K·D]
   * @return [N, P, D]
   */
  public static INDArray backward(
      Map<String, INDArray> saved,
      INDArray descriptors,
      INDArray weights,
      INDArray means,
      INDArray variances,
      INDArray gradient) {
    INDArray shares = saved.get(POSTERIORS);
    long n = descriptors.size(0);
    long k = means.size(0);
    long d = means.size(1);
    INDArray mu = means.reshape(1, k, d);
    INDArray variance = variances.reshape(1, k, d);
    INDArray root = Transforms.sqrt(weights.reshape(1, k, 1)).muli(descriptors.size(1));
    INDArray halves = gradient.reshape(n, 2, k * d);
    // L = Σ_ik γ_ik (a_k·(y_i − μ_k) + b_k·((y_i − μ_k)² − σ_k²))
    INDArray a = half(halves, 0, k, d).divi(Transforms.sqrt(variance).mul(root));
    INDArray b = half(halves, 1, k, d).divi(variance.mul(root).muli(Math.sqrt(2)));
    INDArray linear = a.sub(b.mul(mu).muli(2));
    INDArray constant =
        b.mul(mu.mul(mu).subi(variance)).subi(a.mul(mu)).sum(true, 2).reshape(n, 1, k);

    INDArray squares = descriptors.mul(descriptors);
    INDArray byShares = Matrices.transposeSecond(descriptors, linear);
    byShares.addi(Matrices.transposeSecond(squares, b)).addi(constant);
    INDArray byLogits = SoftAssignment.flat(SoftAssignment.backward(shares, byShares));

    INDArray precisions = variances.rdiv(1);
    long[] shape = descriptors.shape();
    INDArray slopes = Matrices.product(shares, b).muli(2);
    slopes.subi(Matrices.product(byLogits, precisions).reshape(shape));
    INDArray result = slopes.muli(descriptors).addi(Matrices.product(shares, linear));
    INDArray centres = means.mul(precisions);
    return result.addi(Matrices.product(byLogits, centres).reshape(shape));
  }

  /** A copy of one half of [N, 2, K·D], as [N, K, D]. */
  private static INDArray half(INDArray halves, int index, long k, long d) {
    INDArray half = Nd4j.create(halves.dataType(), halves.size(0), k, d);
    half.assign(halves.tensorAlongDimension(index, 0, 2).reshape(halves.size(0), k, d));
    return half;
  }
}
