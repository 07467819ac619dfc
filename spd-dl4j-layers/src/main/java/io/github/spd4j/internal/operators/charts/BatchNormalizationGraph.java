/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.operators.charts;

import static io.github.spd4j.linalg.NumericPolicy.FARTHEST_DEVIATION;

import io.github.spd4j.internal.backend.Definitions;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * The definition of {@link BatchNormalization} in SameDiff; all numbers are DOUBLE.
 *
 * <p>Vectors are a stack of one matrix here, because gradients of products of matrices with one
 * column fail (1.0.0-M2.1), those of products of stacks do not.
 */
public class BatchNormalizationGraph {

  /** In place of a distance of 0, by which its own gradient would be divided. */
  private static final double NO_DISTANCE = 1e-100;

  final SameDiff sd;
  final int length;
  final int domains;
  private final SDVariable vectors;
  private final SDVariable members;

  /**
   * A graph for vectors.
   *
   * @param sd where to define it
   * @param vectors x [N, d]
   * @param length d
   * @param domain the domain of each example [N, 1], or null if there is one domain alone
   * @param domains D
   */
  public BatchNormalizationGraph(
      SameDiff sd, SDVariable vectors, int length, SDVariable domain, int domains) {
    this.sd = sd;
    this.vectors = sd.reshape(vectors, 1, -1, length);
    this.length = length;
    this.domains = domains;
    this.members = domain == null ? ones() : members(domain);
  }

  /** 1 for each example, [1, N, 1]. */
  final SDVariable ones() {
    return Definitions.held(sd, total(vectors).mul(0).add(1));
  }

  /** Whether an example is of a domain, 1 or 0, [1, N, D]. */
  private SDVariable members(SDVariable domain) {
    INDArray numbers = Nd4j.arange(domains).castTo(DataType.DOUBLE).reshape(1, 1, domains);
    SDVariable ofEach = sd.reshape(domain, 1, -1, 1).mul(constantOnes(1, domains));
    SDVariable difference = sd.math().abs(ofEach.sub(sd.constant(numbers)));
    return sd.lt(difference, 0.5).castTo(DataType.DOUBLE); // what is held has rounding
  }

  private SDVariable constantOnes(long rows, long columns) {
    return sd.constant(Nd4j.ones(DataType.DOUBLE, 1, rows, columns));
  }

  /** The sum of each row, [1, N, 1]. ND4J's own fails where there is one entry to add. */
  private SDVariable total(SDVariable rows) {
    return sd.mmul(rows, constantOnes(length, 1));
  }

  /** What belongs to the domain of each example, [1, N, k] of [1, D, k]. */
  final SDVariable ofDomain(SDVariable byDomain) {
    return sd.mmul(members, byDomain);
  }

  /** The sums over the examples of each domain, [1, D, k] of [1, N, k]. */
  private SDVariable sums(SDVariable byExample) {
    return sd.mmul(members, byExample, true, false, false);
  }

  /** The mean over the examples of each domain that has some, [1, D, k] of [1, N, k]. */
  final SDVariable mean(SDVariable byExample, SDVariable counts) {
    return sums(byExample).div(counts.add(sd.eq(counts, 0).castTo(DataType.DOUBLE)));
  }

  /** What leads from the mean of each domain [1, D, d] to its examples, [1, N, d]. */
  SDVariable centred(SDVariable means) {
    return vectors.sub(ofDomain(means));
  }

  /** The mean of the batch for each domain, [1, D, d]. */
  SDVariable batchMeans(SDVariable counts) {
    return mean(vectors, counts);
  }

  /**
   * Defines the normalisation by running statistics.
   *
   * @param mean the running m [D, d]
   * @param variance the running v² [D, 1]
   * @param epsilon ε
   * @return c_i / √(v² + ε) [N, d]
   */
  public SDVariable byRunning(SDVariable mean, SDVariable variance, double epsilon) {
    return sd.reshape(running(mean, variance, epsilon), -1, length);
  }

  private SDVariable running(SDVariable mean, SDVariable variance, double epsilon) {
    SDVariable centred = centred(sd.reshape(mean, 1, domains, length));
    SDVariable ofEach = ofDomain(sd.reshape(variance, 1, domains, 1));
    return centred.mul(sd.math().min(inverseDeviation(ofEach, epsilon), farthest(centred)));
  }

  /**
   * Defines the normalisation by the statistics of the batch, where a domain has more than one
   * example.
   *
   * @param mean the running m [D, d]
   * @param variance the running v² [D, 1]
   * @param epsilon ε
   * @return c_i / √(v² + ε) [N, d]
   */
  public SDVariable byBatch(SDVariable mean, SDVariable variance, double epsilon) {
    SDVariable counts = sums(ones());
    SDVariable batchMean = batchMeans(counts);
    Definitions.named(sd, sd.reshape(batchMean, domains, length), BatchNormalization.MEANS);
    SDVariable centred = centred(batchMean);
    SDVariable batchVariance = mean(total(centred.mul(centred)), counts);
    Definitions.named(sd, sd.reshape(batchVariance, domains, 1), BatchNormalization.VARIANCES);
    SDVariable own = centred.mul(inverseDeviation(ofDomain(batchVariance), epsilon));
    SDVariable several = ofDomain(sd.gt(counts, 1.5).castTo(DataType.DOUBLE)); // 1 or 0, [1, N, 1]
    SDVariable alone = running(mean, variance, epsilon).mul(several.rsub(1));
    return sd.reshape(own.mul(several).add(alone), -1, length);
  }

  private SDVariable inverseDeviation(SDVariable variance, double epsilon) {
    return sd.math().sqrt(variance.add(epsilon)).rdiv(1);
  }

  /** What is smaller than 1/√(v² + ε) where an example is too far away, [1, N, 1]. */
  private SDVariable farthest(SDVariable centred) {
    SDVariable norm = Definitions.root(sd, total(centred.mul(centred)));
    SDVariable none = sd.eq(norm, 0).castTo(DataType.DOUBLE);
    return norm.add(none.mul(NO_DISTANCE)).rdiv(FARTHEST_DEVIATION);
  }
}
