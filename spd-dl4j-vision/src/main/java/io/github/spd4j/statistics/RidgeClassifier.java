/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.statistics;

import io.github.spd4j.internal.backend.Arguments;
import io.github.spd4j.linalg.Matrices;
import io.github.spd4j.linalg.NotFiniteException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * A linear classifier in closed form: ridge regression of the classes' indicators, with a free
 * intercept.
 *
 * <p>{@code scores(x) = s · ((x − m) W + p)}, where m is the mean of the examples, p are the shares
 * of the classes, {@code W = (XᵀX + λI)⁻¹ Xᵀ(Y − p)} for examples X minus their mean, and Y has a
 * one for each example's class. It costs one decomposition of XᵀX, or of XXᵀ if there are fewer
 * examples than numbers in each; either is summed up from blocks of examples.
 *
 * <p>λ is the one of a range with the most right answers to examples that were left out, each group
 * of them in turn, which the same decomposition gives exactly: leaving the group G out changes its
 * residuals R to {@code (I − H)⁻¹ R} with the part H of the hat matrix that belongs to G. The scale
 * s makes the softmax of those answers most likely, so that the scores are neither timid nor too
 * sure. The examples of a group resemble each other more than they resemble new ones, such as views
 * of one picture. Mostly a group is a single example.
 */
public final class RidgeClassifier {

  private static final double[] PENALTIES = {1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1, 1};
  private static final int SCALES = 12;

  /** The largest matrix that is decomposed where the caller is free to leave examples out. */
  static final int MOST_ROWS = 16384;

  private final INDArray weights;
  private final INDArray bias;
  private final LeftOut leftOut;

  private RidgeClassifier(INDArray weights, INDArray bias, LeftOut leftOut) {
    this.weights = weights;
    this.bias = bias;
    this.leftOut = leftOut;
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
    Arguments.matrix(examples, "examples");
    Objects.requireNonNull(labels, "labels");
    requireLabels(labels, classes);
    if (examples.size(0) != labels.length || labels.length < 3) {
      throw new IllegalArgumentException(
          String.format(
              "examples: expected at least 3, one a row, with a label each, got shape %s and %s "
                  + "labels",
              Arrays.toString(examples.shape()), labels.length));
    }
    return fit(RidgeSums.of(examples), labels, classes);
  }

  /**
   * Fits a classifier to examples that need not fit into memory. The examples take at most 2 GiB,
   * or a quarter of what {@code org.bytedeco.javacpp.maxphysicalbytes} allows if that is less, and
   * a quarter of that more for a block of them. The matrix that is decomposed takes {@code 8 m²}
   * bytes for the smaller m of N and d, 2 GiB for m = {@value #MOST_ROWS}, and as much again in
   * main memory if it lies on a GPU. Blocks of it take up to 30 KiB more for each of its rows, and
   * the classes 24 bytes for each row and class.
   *
   * @param examples the examples
   * @param labels their N classes, at least three
   * @param classes the number of classes
   * @param progress is told how far it is
   * @return the classifier, in the type of the examples
   * @throws NotFiniteException if the examples are not finite
   */
  public static RidgeClassifier fit(
      RidgeExamples examples, int[] labels, int classes, RidgeProgress progress) {
    Objects.requireNonNull(examples, "examples");
    Objects.requireNonNull(labels, "labels");
    Objects.requireNonNull(progress, "progress");
    requireLabels(labels, classes);
    if (labels.length < 3) {
      throw new IllegalArgumentException(
          "labels: expected those of at least 3 examples, got " + labels.length);
    }
    try (RidgeSums sums = RidgeSums.of(examples, labels.length, progress)) {
      return fit(sums, labels, classes);
    }
  }

  /**
   * Fits a classifier to examples that come in groups, such as views of one picture. It takes the
   * same memory as without groups. The time for leaving groups out grows with the largest of them.
   *
   * @param examples the examples
   * @param labels their N classes
   * @param groups their N groups, at least three; the examples of a group stand next to one
   *     another, and are left out together
   * @param classes the number of classes
   * @param progress is told how far it is
   * @return the classifier, in the type of the examples
   * @throws NotFiniteException if the examples are not finite
   */
  public static RidgeClassifier fit(
      RidgeExamples examples, int[] labels, int[] groups, int classes, RidgeProgress progress) {
    Objects.requireNonNull(examples, "examples");
    Objects.requireNonNull(labels, "labels");
    Objects.requireNonNull(groups, "groups");
    Objects.requireNonNull(progress, "progress");
    requireLabels(labels, classes);
    requireGroups(labels, groups);
    try (RidgeSums sums = RidgeSums.of(examples, labels.length, progress)) {
      return fit(sums, labels, groups, classes);
    }
  }

  private static void requireLabels(int[] labels, int classes) {
    Arguments.atLeast((long) classes, 1, "classes");
    for (int label : labels) {
      if (label < 0 || label >= classes) {
        throw Arguments.refused("labels", "0 to " + (classes - 1), label);
      }
    }
  }

  private static void requireGroups(int[] labels, int[] groups) {
    Set<Integer> seen = new HashSet<>();
    for (int i = 0; i < groups.length; i++) {
      if ((i == 0 || groups[i] != groups[i - 1]) && !seen.add(groups[i])) {
        throw new IllegalArgumentException(
            "groups: expected the examples of a group next to one another, got group "
                + groups[i]
                + " in two places");
      }
    }
    if (groups.length != labels.length || seen.size() < 3) {
      throw new IllegalArgumentException(
          String.format(
              "groups: expected examples of at least 3 with a label each, got %d labels, and %d"
                  + " examples of %d groups",
              labels.length, groups.length, seen.size()));
    }
  }

  /**
   * How many examples of a length can be fitted to in the memory that {@link #fit(RidgeExamples,
   * int[], int, RidgeProgress)} states.
   *
   * @param length how many numbers an example has
   * @return any number if the length is at most {@value #MOST_ROWS}, or else {@value #MOST_ROWS}
   */
  public static int mostExamples(long length) {
    return Arguments.atLeast(length, 1, "length") <= MOST_ROWS ? Integer.MAX_VALUE : MOST_ROWS;
  }

  static RidgeClassifier fit(RidgeSums examples, int[] labels, int classes) {
    return fit(examples, labels, IntStream.range(0, labels.length).toArray(), classes);
  }

  static RidgeClassifier fit(RidgeSums examples, int[] labels, int[] groups, int classes) {
    double[][] rows = new double[labels.length][classes];
    double[][] parts = new double[1][classes];
    for (int i = 0; i < labels.length; i++) {
      rows[i][labels[i]] = 1;
      parts[0][labels[i]] += 1.0 / labels.length;
    }
    INDArray shares = Nd4j.createFromArray(parts);
    INDArray targets = Nd4j.createFromArray(rows).subiRowVector(shares);
    try (RidgeEquations equations = new RidgeEquations(examples, targets)) {
      LeftOut best = choose(equations, shares, labels, groups);
      INDArray weights = equations.weights(best.penalty).muli(best.scale());
      INDArray bias = shares.mul(best.scale()).castTo(weights.dataType());
      INDArray mean = equations.mean().castTo(weights.dataType());
      bias.subi(Matrices.product(mean, weights));
      return new RidgeClassifier(weights, bias, best);
    }
  }

  private static LeftOut choose(
      RidgeEquations equations, INDArray shares, int[] labels, int[] groups) {
    double least = equations.smallestPenalty();
    double mean = equations.meanEigenvalue();
    double[] penalties =
        Arrays.stream(PENALTIES).map(share -> Math.max(least, share * mean)).toArray();
    LeftOut[] all = Arrays.stream(penalties).mapToObj(LeftOut::new).toArray(LeftOut[]::new);
    equations.leaveOut(
        groups,
        penalties,
        (penalty, first, answers) ->
            all[penalty].add(answers.addiRowVector(shares), labels, first));
    LeftOut best = all[0];
    for (LeftOut next : all) {
      best = next.right > best.right ? next : best;
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
    return leftOut.penalty;
  }

  /**
   * s.
   *
   * @return the scale that was chosen
   */
  public double scale() {
    return leftOut.scale();
  }

  /**
   * The share of examples that a classifier fitted to all other groups gets right.
   *
   * @return 0 … 1
   */
  public double leaveOneOutAccuracy() {
    return (double) leftOut.right / leftOut.examples;
  }

  /** What the answers to examples that were left out are worth, for one penalty. */
  private static final class LeftOut {
    private final double penalty;
    private final double[] crossEntropies = new double[SCALES + 1];
    private int examples;
    private int right;

    LeftOut(double penalty) {
      this.penalty = penalty;
    }

    void add(INDArray answers, int[] labels, int first) {
      double[] rows = answers.ravel().toDoubleVector(); // an array for each row would take its time
      int classes = answers.columns();
      for (int i = 0; i < answers.rows(); i++) {
        add(Arrays.copyOfRange(rows, i * classes, (i + 1) * classes), labels[first + i]);
      }
    }

    private void add(double[] answers, int label) {
      int guess = 0;
      double[] normalisers = new double[SCALES + 1];
      double[] terms = new double[SCALES + 1];
      for (int k = 0; k < answers.length; k++) {
        guess = answers[k] > answers[guess] ? k : guess;
        double difference = answers[k] - answers[label];
        for (int power = 0; power <= SCALES; power++) {
          // Twice the scale is the square of the term, which is cheaper than its exponential.
          terms[power] =
              power < 2 ? Math.exp(scale(power) * difference) : terms[power - 2] * terms[power - 2];
          normalisers[power] += terms[power];
        }
      }
      for (int power = 0; power <= SCALES; power++) {
        crossEntropies[power] += Math.log(normalisers[power]);
      }
      examples++;
      right += guess == label ? 1 : 0;
    }

    private static double scale(int power) {
      return Math.pow(2, power / 2.0);
    }

    /** The power of √2 that makes the labels most likely. */
    double scale() {
      int best = 0;
      for (int power = 1; power <= SCALES; power++) {
        best = crossEntropies[power] < crossEntropies[best] ? power : best;
      }
      return scale(best);
    }
  }
}
