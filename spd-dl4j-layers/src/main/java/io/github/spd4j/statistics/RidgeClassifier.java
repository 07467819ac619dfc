/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.statistics;

import io.github.spd4j.linalg.Matrices;
import io.github.spd4j.linalg.NotFiniteException;
import java.util.Arrays;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * A linear classifier in closed form: ridge regression of the classes' indicators, with a free
 * intercept.
 *
 * <p>{@code scores(x) = s · ((x − m) W + p)}, where m is the mean of the examples, p are the shares
 * of the classes, {@code W = (XᵀX + λI)⁻¹ Xᵀ(Y − p)} for examples X minus their mean, and Y has a
 * one for each example's class. It costs one eigendecomposition of XᵀX, or of XXᵀ if there are
 * fewer examples than numbers in each.
 *
 * <p>λ is the one of a range with the most right answers to examples that were left out, each in
 * turn, which the same decomposition gives exactly: leaving example i out changes its residual
 * {@code rᵢ} to {@code rᵢ / (1 − hᵢᵢ)} with the diagonal of the hat matrix. The scale s makes the
 * softmax of those answers most likely, so that the scores are neither timid nor too sure.
 */
public final class RidgeClassifier {

  private static final double[] PENALTIES = {1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1, 1};
  private static final int SCALES = 12;

  private final INDArray weights;
  private final INDArray bias;
  private final double penalty;
  private final double scale;
  private final LeaveOneOut leftOut;

  private RidgeClassifier(INDArray weights, INDArray bias, LeaveOneOut choice) {
    this.weights = weights;
    this.bias = bias;
    this.penalty = choice.penalty;
    this.scale = choice.scale();
    this.leftOut = choice;
  }

  /**
   * Fits a classifier.
   *
   * @param examples [N, d], at least three rows; it is overwritten
   * @param labels N classes
   * @param classes the number of classes
   * @return the classifier, in the type of the examples
   * @throws NotFiniteException if the examples are not finite
   */
  public static RidgeClassifier fit(INDArray examples, int[] labels, int classes) {
    if (examples.rank() != 2 || examples.size(0) != labels.length || labels.length < 3) {
      throw new IllegalArgumentException(
          String.format(
              "expected at least 3 examples, one a row, with a label each, got shape %s and %s "
                  + "labels",
              Arrays.toString(examples.shape()), labels.length));
    }
    INDArray mean = examples.mean(0);
    examples.subiRowVector(mean);
    INDArray shares = Nd4j.zeros(DataType.DOUBLE, 1, classes);
    INDArray targets = Nd4j.zeros(DataType.DOUBLE, labels.length, classes);
    for (int i = 0; i < labels.length; i++) {
      targets.putScalar(i, labels[i], 1);
      shares.putScalar(0, labels[i], shares.getDouble(0, labels[i]) + 1.0 / labels.length);
    }
    targets.subiRowVector(shares);
    RidgeSpectrum spectrum = RidgeSpectrum.of(examples, targets);
    LeaveOneOut best = choose(spectrum, shares, labels);
    INDArray weights = spectrum.weights(best.penalty).muli(best.scale());
    INDArray bias = shares.mul(best.scale()).castTo(examples.dataType());
    bias.subi(Matrices.product(mean.reshape(1, mean.length()), weights));
    return new RidgeClassifier(weights, bias, best);
  }

  private static LeaveOneOut choose(RidgeSpectrum spectrum, INDArray shares, int[] labels) {
    LeaveOneOut best = null;
    for (double relative : PENALTIES) {
      double penalty = relative * spectrum.meanEigenvalue();
      INDArray answers = spectrum.leaveOneOut(penalty).addiRowVector(shares);
      LeaveOneOut next = new LeaveOneOut(penalty, answers.toDoubleMatrix(), labels);
      best = best == null || next.right > best.right ? next : best;
    }
    return best;
  }

  /**
   * The weights of the scores.
   *
   * @return [d, classes]
   */
  public INDArray weights() {
    return weights;
  }

  /**
   * The intercepts of the scores.
   *
   * @return [1, classes]
   */
  public INDArray bias() {
    return bias;
  }

  /**
   * λ.
   *
   * @return the penalty that was chosen
   */
  public double penalty() {
    return penalty;
  }

  /**
   * s.
   *
   * @return the scale that was chosen
   */
  public double scale() {
    return scale;
  }

  /**
   * The share of examples that a classifier fitted to all others gets right.
   *
   * @return 0 … 1
   */
  public double leaveOneOutAccuracy() {
    return (double) leftOut.right / leftOut.labels.length;
  }

  /** The answers to examples that were left out, before the scale. */
  double[][] leaveOneOutAnswers() {
    return leftOut.answers;
  }

  /** The answers to examples that were left out, for one penalty. */
  private static final class LeaveOneOut {
    private final double penalty;
    private final double[][] answers;
    private final int[] labels;
    private final int right;

    LeaveOneOut(double penalty, double[][] answers, int[] labels) {
      this.penalty = penalty;
      this.answers = answers;
      this.labels = labels;
      int count = 0;
      for (int i = 0; i < labels.length; i++) {
        int guess = 0;
        for (int k = 1; k < answers[i].length; k++) {
          guess = answers[i][k] > answers[i][guess] ? k : guess;
        }
        count += guess == labels[i] ? 1 : 0;
      }
      this.right = count;
    }

    /** The power of √2 that makes the labels most likely. */
    double scale() {
      double best = 1;
      double least = crossEntropy(1);
      for (int power = 1; power <= SCALES; power++) {
        double scale = Math.pow(2, power / 2.0);
        double next = crossEntropy(scale);
        if (next < least) {
          least = next;
          best = scale;
        }
      }
      return best;
    }

    private double crossEntropy(double scale) {
      double sum = 0;
      for (int i = 0; i < labels.length; i++) {
        double normaliser = 0;
        for (double answer : answers[i]) {
          normaliser += Math.exp(scale * (answer - answers[i][labels[i]]));
        }
        sum += Math.log(normaliser);
      }
      return sum;
    }
  }
}
