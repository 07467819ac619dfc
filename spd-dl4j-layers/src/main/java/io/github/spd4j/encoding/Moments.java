/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.encoding;

import io.github.spd4j.linalg.Matrices;
import io.github.spd4j.linalg.NumericPolicy;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.ops.transforms.Transforms;

/** What descriptors add up to, for each component that has a share in them. */
final class Moments {

  private final INDArray counts;
  private final INDArray sums;
  private final INDArray squares;

  Moments(int components, int dimensions) {
    counts = Nd4j.zeros(DataType.DOUBLE, 1, components);
    sums = Nd4j.zeros(DataType.DOUBLE, components, dimensions);
    squares = Nd4j.zeros(DataType.DOUBLE, components, dimensions);
  }

  /** The moments of all rows together, as of one component. */
  static Moments ofAll(INDArray rows) {
    Moments all = new Moments(1, rows.columns());
    Blocks.of(rows, (first, block) -> all.add(Nd4j.ones(DataType.DOUBLE, block.rows(), 1), block));
    return all;
  }

  /**
   * Adds descriptors.
   *
   * @param shares of the components in them, DOUBLE [n, K], each row with the sum 1
   * @param block DOUBLE [n, D]
   */
  void add(INDArray shares, INDArray block) {
    INDArray squared = block.mul(block);
    INDArray byBlock = Matrices.transposeFirst(shares, block);
    INDArray bySquared = Matrices.transposeFirst(shares, squared);
    counts.addi(shares.sum(true, 0));
    sums.addi(byBlock);
    squares.addi(bySquared);
    Matrices.closeAll(squared, byBlock, bySquared);
  }

  /** Whether a component has no descriptors. */
  boolean isEmpty(int component) {
    return !(counts.getDouble(0, component) >= NumericPolicy.EMPTY_COMPONENT);
  }

  /** Gives a component as much as one descriptor would, with this mean and variance [1, D]. */
  void fill(int component, INDArray mean, INDArray variance) {
    counts.putScalar(0, component, 1);
    sums.putRow(component, mean);
    squares.putRow(component, variance.add(mean.mul(mean)));
  }

  /** The mean of each component, [K, D]. */
  INDArray means() {
    return sums.divColumnVector(counts.transpose());
  }

  /** The variance of each component in each dimension, [K, D]; rounding may make it negative. */
  INDArray variances() {
    INDArray means = means();
    return squares.divColumnVector(counts.transpose()).subi(means.muli(means));
  }

  /**
   * The mixture that explains the descriptors best, given the shares.
   *
   * @param floor the smallest variance
   */
  GaussianMixture mixture(double floor) {
    INDArray weights = counts.div(counts.sumNumber());
    return new GaussianMixture(weights, means(), Transforms.max(variances(), floor, false));
  }
}
