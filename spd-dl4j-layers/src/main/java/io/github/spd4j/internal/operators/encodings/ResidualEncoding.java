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

/**
 * {@code e_k = Σ_i a_ik (x_i − c_k)} with {@code a_ik = softmax_k(−s_k ‖x_i − c_k‖²)}.
 *
 * <p>x_i are the P descriptors of an image, c_k and s_k the codewords and smoothing factors of a
 * dictionary of K. The residuals, C·K·P numbers an image, are never formed: {@code e_k = Σ_i a_ik
 * x_i − (Σ_i a_ik) c_k}, and squared distances come from products too.
 */
public final class ResidualEncoding {

  private static final String SHARES = "shares";
  private static final String DISTANCES = "distances";

  private ResidualEncoding() {}

  /**
   * Defines the encoding.
   *
   * @param sd where to define it
   * @param descriptors x [N, P, C]
   * @param positions P
   * @param mask 1 for each descriptor that counts, 0 elsewhere [N, P, 1]; null if all count
   * @param codewords c [K, C], of known shape
   * @param smoothing s [1, K]
   * @return e [N, K, C]
   */
  public static SDVariable define(
      SameDiff sd,
      SDVariable descriptors,
      long positions,
      SDVariable mask,
      SDVariable codewords,
      SDVariable smoothing) {
    long words = codewords.getShape()[0];
    long size = codewords.getShape()[1];
    SDVariable lengths = sd.reshape(descriptors.mul(descriptors).sum(true, 2), -1, 1);
    SDVariable wordLengths = SoftAssignment.rowSums(sd, codewords.mul(codewords), words, size);
    SDVariable products = sd.mmul(sd.reshape(descriptors, -1, size), codewords, false, true, false);
    SDVariable distances = products.mul(-2.0).add(lengths).add(wordLengths).rename(DISTANCES);
    SDVariable logits = distances.mul(smoothing).mul(-1.0);
    SDVariable shares = SoftAssignment.define(sd, logits, positions, words, mask).rename(SHARES);
    SDVariable sums = sd.mmul(shares, descriptors, true, false, false);
    SDVariable mass = SoftAssignment.mass(sd, shares, words);
    return sums.sub(mass.mul(sd.reshape(codewords, 1, words, size)));
  }

  /**
   * The names of the variables of {@link #define} whose values {@link #backward} needs.
   *
   * @return variable names
   */
  public static List<String> saved() {
    return List.of(SHARES, DISTANCES);
  }

  /**
   * How many numbers {@link #define} keeps for one image.
   *
   * @param positions P
   * @param words K
   * @return that number
   */
  public static long savedElements(long positions, long words) {
    return 2 * positions * words;
  }

  /**
   * The gradients.
   *
   * @param saved the values of the {@link #saved} variables
   * @param descriptors x [N, P, C]
   * @param codewords c [K, C]
   * @param smoothing s [1, K]
   * @param gradient the gradient with respect to e [N, K, C]
   * @param byCodewords overwritten by the gradient with respect to c [K, C]
   * @param bySmoothing overwritten by the gradient with respect to s [1, K]
   * @return the gradient with respect to x [N, P, C]
   */
  public static INDArray backward(
      Map<String, INDArray> saved,
      INDArray descriptors,
      INDArray codewords,
      INDArray smoothing,
      INDArray gradient,
      INDArray byCodewords,
      INDArray bySmoothing) {
    INDArray shares = saved.get(SHARES);
    long[] shape = shares.shape();
    long words = codewords.size(0);
    INDArray words3 = codewords.reshape(1, words, codewords.size(1));

    INDArray byShares = Matrices.transposeSecond(descriptors, gradient);
    byShares.subi(gradient.mul(words3).sum(true, 2).reshape(shape[0], 1, words));
    INDArray byLogits = SoftAssignment.backward(shares, byShares);
    INDArray distances = saved.get(DISTANCES).reshape(shape);
    bySmoothing.assign(byLogits.mul(distances).sum(0, 1).negi().reshape(1, words));

    INDArray byDistances = byLogits.muli(smoothing.reshape(1, 1, words)).negi();
    INDArray flat = SoftAssignment.flat(byDistances);
    INDArray flatDescriptors = SoftAssignment.flat(descriptors);
    INDArray mass = shares.sum(true, 1).reshape(shape[0], words, 1);
    INDArray total = byDistances.sum(0, 1).reshape(words, 1);
    INDArray byWords = codewords.mul(total).subi(Matrices.transposeFirst(flat, flatDescriptors));
    byCodewords.assign(byWords.muli(2).subi(gradient.mul(mass).sum(0)));

    INDArray result = descriptors.mul(byDistances.sum(true, 2));
    result.subi(Matrices.product(flat, codewords).reshape(descriptors.shape())).muli(2);
    return result.addi(Matrices.product(shares, gradient));
  }
}
