/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.statistics;

import static io.github.spd4j.testing.Tolerances.assertClose;
import static io.github.spd4j.testing.Tolerances.assertSmall;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.linalg.NotFiniteException;
import io.github.spd4j.testing.Ejml;
import java.util.Random;
import org.ejml.simple.SimpleMatrix;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

class RidgeClassifierTest {

  private static final int CLASSES = 3;

  /** The eigendecomposition of the Gram matrix against equations for the weights themselves. */
  private static final double TWO_SOLVERS = 1e-8;

  /** The smallest penalty leaves a condition number of 1e4. */
  private static final double SINGLE_PRECISION = 1e-3;

  private static final class Task {
    final INDArray examples;
    final int[] labels;

    Task(int n, int length, double noise, DataType type) {
      Random random = new Random(n + 7L * length);
      double[][] rows = new double[n][length];
      labels = new int[n];
      for (int i = 0; i < n; i++) {
        labels[i] = random.nextInt(CLASSES);
        for (int j = 0; j < length; j++) {
          double signal = j % CLASSES == labels[i] ? 1 : 0;
          rows[i][j] = 5 + signal + noise * random.nextGaussian();
        }
      }
      examples = Nd4j.createFromArray(rows).castTo(type);
    }

    RidgeClassifier fit() {
      return RidgeClassifier.fit(examples.dup(), labels, CLASSES);
    }

    /** Weights [length + 1, classes] for all examples but one, the intercept last. */
    SimpleMatrix solve(double penalty, int leftOut) {
      SimpleMatrix x = Ejml.of(examples);
      int length = x.getNumCols();
      SimpleMatrix normal = SimpleMatrix.identity(length + 1).scale(penalty);
      normal.set(length, length, 0);
      SimpleMatrix right = new SimpleMatrix(length + 1, CLASSES);
      for (int i = 0; i < labels.length; i++) {
        if (i != leftOut) {
          SimpleMatrix row = with1(x.getRow(i));
          SimpleMatrix target = new SimpleMatrix(1, CLASSES);
          target.set(0, labels[i], 1);
          normal = normal.plus(row.transpose().mult(row));
          right = right.plus(row.transpose().mult(target));
        }
      }
      return normal.solve(right);
    }

    static SimpleMatrix with1(SimpleMatrix row) {
      SimpleMatrix longer = new SimpleMatrix(1, row.getNumCols() + 1);
      longer.insertIntoThis(0, 0, row);
      longer.set(0, row.getNumCols(), 1);
      return longer;
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 6, 40})
  void solvesTheNormalEquations(int length) {
    Task task = new Task(20, length, 0.7, DataType.DOUBLE);
    RidgeClassifier fitted = task.fit();
    SimpleMatrix expected = task.solve(fitted.penalty(), -1).scale(fitted.scale());
    assertClose(
        Nd4j.concat(0, fitted.weights(), fitted.bias()), Ejml.toNd4j(expected), TWO_SOLVERS);
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 6, 40})
  void knowsTheAnswersToExamplesThatWereLeftOut(int length) {
    Task task = new Task(20, length, 0.7, DataType.DOUBLE);
    RidgeClassifier fitted = task.fit();
    for (int i = 0; i < task.labels.length; i++) {
      SimpleMatrix row = Task.with1(Ejml.of(task.examples).getRow(i));
      SimpleMatrix expected = row.mult(task.solve(fitted.penalty(), i));
      for (int k = 0; k < CLASSES; k++) {
        assertSmall(fitted.leaveOneOutAnswers()[i][k] - expected.get(0, k), TWO_SOLVERS);
      }
    }
  }

  @Test
  void isSureWhereClassesAreApartAndTimidWhereTheyAreNot() {
    RidgeClassifier apart = new Task(60, 6, 0.05, DataType.DOUBLE).fit();
    RidgeClassifier mixed = new Task(60, 6, 3, DataType.DOUBLE).fit();
    assertThat(apart.leaveOneOutAccuracy()).isEqualTo(1);
    assertThat(mixed.leaveOneOutAccuracy()).isLessThan(0.7);
    assertThat(apart.scale()).isGreaterThan(4 * mixed.scale());
  }

  @Test
  void worksInSinglePrecision() {
    Task task = new Task(30, 12, 0.5, DataType.FLOAT);
    RidgeClassifier fitted = task.fit();
    SimpleMatrix expected = task.solve(fitted.penalty(), -1).scale(fitted.scale());
    assertThat(fitted.weights().dataType()).isEqualTo(DataType.FLOAT);
    INDArray weights = Ejml.toNd4j(expected.extractMatrix(0, 12, 0, CLASSES));
    assertClose(fitted.weights(), weights, SINGLE_PRECISION);
  }

  @Test
  void takesEqualExamples() {
    INDArray same = Nd4j.ones(DataType.DOUBLE, 6, 4);
    RidgeClassifier fitted = RidgeClassifier.fit(same, new int[] {0, 1, 2, 0, 1, 0}, CLASSES);
    assertSmall(fitted.weights().norm2Number().doubleValue(), 0);
    assertThat(fitted.bias().argMax(1).getInt(0)).isZero();
  }

  @Test
  void wantsFiniteExamplesWithLabels() {
    INDArray examples = Nd4j.ones(DataType.DOUBLE, 4, 2);
    assertThatThrownBy(() -> RidgeClassifier.fit(examples.dup(), new int[3], CLASSES))
        .hasMessage(
            "expected at least 3 examples, one a row, with a label each, got shape [4, 2] and 3"
                + " labels");
    assertThatThrownBy(
            () ->
                RidgeClassifier.fit(
                    examples.dup().putScalar(1, 1, Double.NaN), new int[4], CLASSES))
        .isInstanceOf(NotFiniteException.class);
  }
}
