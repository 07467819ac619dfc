/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.quickstart;

import io.github.spd4j.train.images.LabelledImages;
import io.github.spd4j.train.progress.EpochRecord;
import java.util.List;
import java.util.stream.IntStream;
import org.deeplearning4j.nn.graph.ComputationGraph;

/** What came out of one head. */
public final class HeadResult {

  private final String name;
  private final ComputationGraph net;
  private final List<EpochRecord> history;
  private final int[] labels;
  private final int[] answers;
  private final int classes;
  private final double seconds;

  HeadResult(
      String name,
      ComputationGraph net,
      List<EpochRecord> history,
      LabelledImages test,
      int[] answers,
      double seconds) {
    this.name = name;
    this.net = net;
    this.history = history;
    this.labels = IntStream.range(0, test.size()).map(test::label).toArray();
    this.answers = answers.clone();
    this.classes = test.classes();
    this.seconds = seconds;
  }

  /**
   * What the head is called.
   *
   * @return its name
   */
  public String name() {
    return name;
  }

  /**
   * The trained network.
   *
   * @return backbone and head
   */
  public ComputationGraph net() {
    return net;
  }

  /**
   * The epochs of both stages.
   *
   * @return their records, in order
   */
  public List<EpochRecord> history() {
    return history;
  }

  /**
   * How long the training took.
   *
   * @return seconds
   */
  public double seconds() {
    return seconds;
  }

  /**
   * The answer to a test image.
   *
   * @param image its number
   * @return the class answered
   */
  public int answer(int image) {
    return answers[image];
  }

  /**
   * Whether a test image was answered rightly.
   *
   * @param image its number
   * @return true if it was
   */
  public boolean isRight(int image) {
    return answers[image] == labels[image];
  }

  /**
   * The share of test images answered rightly.
   *
   * @return 0 to 1
   */
  public double accuracy() {
    int right = 0;
    for (int i = 0; i < labels.length; i++) {
      right += isRight(i) ? 1 : 0;
    }
    return (double) right / labels.length;
  }

  /**
   * How often each class was answered with each class.
   *
   * @return a row for each true class
   */
  public int[][] confusion() {
    int[][] counts = new int[classes][classes];
    for (int i = 0; i < labels.length; i++) {
      counts[labels[i]][answers[i]]++;
    }
    return counts;
  }

  /**
   * The accuracy by which this head is ahead of another on the same images, and the standard error
   * of that difference.
   *
   * @param other another head
   * @return the difference and its standard error
   */
  public Lead leadOver(HeadResult other) {
    int better = 0;
    int worse = 0;
    for (int i = 0; i < labels.length; i++) {
      better += isRight(i) && !other.isRight(i) ? 1 : 0;
      worse += !isRight(i) && other.isRight(i) ? 1 : 0;
    }
    double n = labels.length;
    double difference = (better - worse) / n;
    double variance = ((better + worse) / n - difference * difference) / n;
    return new Lead(difference, Math.sqrt(variance));
  }

  /** A difference of two accuracies on the same images. */
  public static final class Lead {
    private final double difference;
    private final double standardError;

    Lead(double difference, double standardError) {
      this.difference = difference;
      this.standardError = standardError;
    }

    /**
     * The difference of the accuracies.
     *
     * @return positive if the first is ahead
     */
    public double difference() {
      return difference;
    }

    /**
     * Its standard error.
     *
     * @return not negative
     */
    public double standardError() {
      return standardError;
    }

    /**
     * Whether the difference is more than chance: at least two standard errors.
     *
     * @return true for a clear lead
     */
    public boolean isClear() {
      return difference > 0 && difference >= 2 * standardError;
    }
  }
}
