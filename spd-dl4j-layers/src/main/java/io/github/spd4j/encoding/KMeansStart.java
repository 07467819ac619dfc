/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.encoding;

import io.github.spd4j.linalg.Matrices;
import io.github.spd4j.linalg.NumericPolicy;
import java.util.Arrays;
import java.util.Random;
import org.apache.commons.lang3.Validate;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * Where expectation maximisation begins: the clusters of k-means, whose centres are first drawn far
 * from each other (k-means++, Arthur and Vassilvitskii, 2007).
 */
final class KMeansStart {

  private static final int STEPS = 10;

  private final INDArray rows;
  private final int clusters;
  private final Random random;
  private final double[] lengths;

  private KMeansStart(INDArray rows, int clusters, Random random) {
    this.rows = rows;
    this.clusters = clusters;
    this.random = random;
    this.lengths = new double[rows.rows()];
    Blocks.of(
        rows,
        (first, block) -> {
          double[] norms = block.norm2(1).toDoubleVector();
          for (int i = 0; i < norms.length; i++) {
            lengths[first + i] = norms[i] * norms[i];
          }
        });
  }

  /** The moments of the clusters, none of which is empty. */
  static Moments of(INDArray rows, int clusters, Random random) {
    KMeansStart start = new KMeansStart(rows, clusters, random);
    return start.refined(start.seeds());
  }

  /** Rows drawn with probabilities like the squared distances to those drawn before, [K, D]. */
  private INDArray seeds() {
    INDArray seeds = Nd4j.create(DataType.DOUBLE, clusters, rows.columns());
    double[] nearest = new double[lengths.length];
    Arrays.fill(nearest, Double.POSITIVE_INFINITY);
    int chosen = random.nextInt(nearest.length);
    for (int k = 0; k < clusters; k++) {
      if (k > 0) {
        chosen = draw(nearest, k);
      }
      INDArray seed = Blocks.rows(rows, chosen, chosen + 1);
      seeds.putRow(k, seed);
      comeNearer(nearest, seed, lengths[chosen]);
    }
    return seeds;
  }

  private int draw(double[] nearest, int found) {
    double total = Arrays.stream(nearest).sum();
    Validate.isTrue(
        total > 0, "descriptors: expected at least %s different ones, got %s", clusters, found);
    double left = random.nextDouble() * total;
    int drawn = -1;
    for (int i = 0; i < nearest.length && left >= 0; i++) {
      if (nearest[i] > 0) {
        drawn = i;
        left -= nearest[i];
      }
    }
    return drawn; // the last one if rounding left something
  }

  private void comeNearer(double[] nearest, INDArray seed, double length) {
    double rounding = NumericPolicy.distanceRounding(DataType.DOUBLE, rows.columns());
    Blocks.of(
        rows,
        (first, block) -> {
          double[] products = Matrices.transposeSecond(block, seed).data().asDouble();
          for (int i = 0; i < products.length; i++) {
            double sum = lengths[first + i] + length;
            double distance = sum - 2 * products[i];
            double real = distance > rounding * sum ? distance : 0;
            nearest[first + i] = Math.min(nearest[first + i], real);
          }
        });
  }

  private Moments refined(INDArray seeds) {
    Moments moments = assigned(seeds);
    for (int step = 1; step < STEPS; step++) {
      Moments next = assigned(moments.means());
      for (int k = 0; k < clusters; k++) {
        if (next.isEmpty(k)) {
          return moments;
        }
      }
      moments = next;
    }
    return moments;
  }

  /** The moments of the clusters around some centres. */
  private Moments assigned(INDArray centres) {
    Moments moments = new Moments(clusters, rows.columns());
    INDArray halves = centres.mul(centres).reshape(1, clusters, rows.columns()).sum(true, 2);
    halves.muli(0.5);
    Blocks.of(
        rows,
        (first, block) -> {
          // The nearest centre c has the largest x·c − ‖c‖²/2.
          INDArray closeness = Matrices.transposeSecond(block, centres);
          closeness.subi(halves.reshape(1, clusters));
          moments.add(largest(closeness.dup('c').data().asDouble()), block);
        });
    return moments;
  }

  /** A one in each row where the row is largest, zeros elsewhere. */
  private INDArray largest(double[] matrix) {
    double[] result = new double[matrix.length];
    for (int row = 0; row < matrix.length; row += clusters) {
      int best = row;
      for (int i = row + 1; i < row + clusters; i++) {
        best = matrix[i] > matrix[best] ? i : best;
      }
      result[best] = 1;
    }
    return Nd4j.createFromArray(result).reshape(matrix.length / clusters, clusters);
  }
}
