/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

class FamiliarityTest {

  private static final int LENGTH = 6;
  private static final int EXAMPLES = 90;

  private final Random random = new Random(5);
  private final double[][] vectors = new double[EXAMPLES][];
  private final int[] labels = new int[EXAMPLES];

  FamiliarityTest() {
    for (int i = 0; i < EXAMPLES; i++) {
      labels[i] = i % 3;
      vectors[i] = example(labels[i]);
    }
  }

  /** Each class is large in two entries of its own. */
  private double[] example(int label) {
    double[] vector = new double[LENGTH];
    for (int i = 0; i < LENGTH; i++) {
      vector[i] = (i / 2 == label ? 4 : 1) + 0.3 * random.nextGaussian();
    }
    return vector;
  }

  private Familiarity fit() {
    return Familiarity.fit(Nd4j.createFromArray(vectors), labels);
  }

  /** The formula with an inverse matrix, in place of the axes of few directions. */
  @Test
  void isTheMahalanobisDistanceFromTheNearestMean() {
    INDArray rows = Nd4j.createFromArray(vectors);
    rows.diviColumnVector(rows.norm2(true, 1));
    INDArray mean = rows.mean(0);
    INDArray deviation = rows.std(false, 0);
    deviation.addi(0.01 * deviation.meanNumber().doubleValue());
    INDArray standard = rows.subRowVector(mean).diviRowVector(deviation);
    INDArray[] centres = new INDArray[3];
    INDArray covariance = Nd4j.zeros(standard.dataType(), LENGTH, LENGTH);
    for (int k = 0; k < 3; k++) {
      int label = k;
      int[] own = IntStream.range(0, EXAMPLES).filter(i -> labels[i] == label).toArray();
      centres[k] = standard.getRows(own).mean(0);
      INDArray residuals = standard.getRows(own).subRowVector(centres[k]);
      covariance.addi(residuals.transpose().mmul(residuals).divi(EXAMPLES));
    }
    double[][] shrunk = covariance.mul(0.7).toDoubleMatrix();
    double trace = IntStream.range(0, LENGTH).mapToDouble(i -> shrunk[i][i] / 0.7).sum();
    for (int i = 0; i < LENGTH; i++) {
      shrunk[i][i] += 0.3 * trace / LENGTH + 1e-6;
    }
    Familiarity familiarity = fit();
    for (double[] vector :
        new double[][] {vectors[0], vectors[4], {1, 1, 1, 1, 1, 1}, {9, 0, 0, 0, 0, 9}}) {
      INDArray row = Nd4j.createFromArray(vector);
      row.divi(row.norm2Number());
      row.subi(mean).divi(deviation);
      double least =
          Arrays.stream(centres)
              .mapToDouble(
                  centre -> {
                    double[] r = row.sub(centre).toDoubleVector();
                    double[] solved = solve(shrunk, r);
                    return IntStream.range(0, LENGTH).mapToDouble(i -> r[i] * solved[i]).sum()
                        / LENGTH;
                  })
              .min()
              .orElseThrow();
      assertThat(familiarity.distance(vector)).isCloseTo(least, within(1e-3 * (1 + least)));
    }
  }

  /** Gaussian elimination; a positive definite matrix needs no pivots. */
  private static double[] solve(double[][] matrix, double... right) {
    double[][] a = Arrays.stream(matrix).map(double[]::clone).toArray(double[][]::new);
    double[] b = right.clone();
    for (int i = 0; i < LENGTH; i++) {
      for (int j = i + 1; j < LENGTH; j++) {
        double factor = a[j][i] / a[i][i];
        for (int k = i; k < LENGTH; k++) {
          a[j][k] -= factor * a[i][k];
        }
        b[j] -= factor * b[i];
      }
    }
    for (int i = LENGTH - 1; i >= 0; i--) {
      for (int k = i + 1; k < LENGTH; k++) {
        b[i] -= a[i][k] * b[k];
      }
      b[i] /= a[i][i];
    }
    return b;
  }

  @Test
  void whatIsLikeNoClassIsFar() {
    Familiarity familiarity = fit();
    double known = 0;
    for (int i = 0; i < 30; i++) {
      known = Math.max(known, familiarity.distance(example(i % 3)));
    }
    assertThat(familiarity.distance(1, 4, 1, 4, 1, 1)).isGreaterThan(1.5 * known);
    assertThat(familiarity.distance(new double[LENGTH])).isGreaterThan(1.5 * known);
  }

  @Test
  void bytesKeepEverything() {
    Familiarity familiarity = fit();
    Familiarity read = Familiarity.of(familiarity.bytes());
    assertThat(read.length()).isEqualTo(LENGTH);
    assertThat(read.distance(vectors[3])).isEqualTo(familiarity.distance(vectors[3]));
    byte[] bytes = familiarity.bytes();
    assertThatThrownBy(() -> Familiarity.of(Arrays.copyOf(bytes, bytes.length - 4)))
        .isInstanceOf(IllegalArgumentException.class);
    for (int i = 0; i < 16; i++) { // no header is believed
      byte[] damaged = bytes.clone();
      damaged[i] ^= (byte) 0xff;
      try {
        Familiarity.of(damaged);
        assertThat(i).isGreaterThanOrEqualTo(12);
      } catch (IllegalArgumentException e) {
        assertThat(e).hasMessageStartingWith("bytes: expected");
      }
    }
  }

  @Test
  void refusesWhatDoesNotFit() {
    assertThatThrownBy(() -> Familiarity.fit(Nd4j.createFromArray(vectors), 1))
        .hasMessageContaining("got 1 for [90, 6]");
    assertThatThrownBy(() -> fit().distance(1, 2)).hasMessageContaining("6 entries, got 2");
    assertThatThrownBy(() -> fit().distance(1, 2, 3, 4, 5, Double.NaN))
        .hasMessage("vector: expected finite numbers, got NaN");
    INDArray rows = Nd4j.createFromArray(vectors);
    assertThatThrownBy(() -> Familiarity.fit(rows.castTo(DataType.INT32), labels))
        .hasMessage("vectors: expected FLOAT or DOUBLE, got INT");
    rows.putScalar(80, 5, Double.POSITIVE_INFINITY);
    assertThatThrownBy(() -> Familiarity.fit(rows, labels))
        .hasMessageStartingWith("vectors: expected a finite matrix");
  }

  /** One entry, equal vectors: nothing to divide by. */
  @Test
  void degenerateExamplesHaveFiniteDistances() {
    INDArray equal = Nd4j.ones(4, 3);
    assertThat(Familiarity.fit(equal, 0, 0, 1, 1).distance(1, 1, 1)).isFinite();
    assertThat(Familiarity.fit(Nd4j.ones(2, 1), 0, 1).distance(3)).isFinite();
  }
}
