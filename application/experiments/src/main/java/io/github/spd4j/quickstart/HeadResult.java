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

/**
 * What came out of one head.
 *
 * @param name what the head is called
 * @param net backbone and head, trained
 * @param history the epochs of both stages
 * @param test the test images
 * @param answers the number of the class that was answered to each of them
 * @param seconds how long the training took
 */
public record HeadResult(
    String name,
    ComputationGraph net,
    List<EpochRecord> history,
    LabelledImages test,
    int[] answers,
    double seconds) {

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
   * Whether a test image was classified correctly.
   *
   * @param image its number
   * @return true if it was
   */
  public boolean isRight(int image) {
    return answers[image] == test.label(image);
  }

  /**
   * The share of test images classified correctly.
   *
   * @return 0 to 1
   */
  public double accuracy() {
    return IntStream.range(0, test.size()).filter(this::isRight).count() / (double) test.size();
  }

  /**
   * How often each class was answered with each class.
   *
   * @return a row for each true class
   */
  public int[][] confusion() {
    int[][] counts = new int[test.classes()][test.classes()];
    for (int i = 0; i < test.size(); i++) {
      counts[test.label(i)][answers[i]]++;
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
    for (int i = 0; i < test.size(); i++) {
      better += isRight(i) && !other.isRight(i) ? 1 : 0;
      worse += !isRight(i) && other.isRight(i) ? 1 : 0;
    }
    double n = test.size();
    double difference = (better - worse) / n;
    double variance = ((better + worse) / n - difference * difference) / n;
    return new Lead(difference, Math.sqrt(variance));
  }

  /**
   * A difference of two accuracies on the same images.
   *
   * @param difference positive if the first is ahead
   * @param standardError of the difference
   */
  public record Lead(double difference, double standardError) {

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
