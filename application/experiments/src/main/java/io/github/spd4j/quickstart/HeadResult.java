/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.quickstart;

import io.github.spd4j.experiments.Predictions;
import io.github.spd4j.train.progress.EpochRecord;
import java.util.List;
import org.deeplearning4j.nn.graph.ComputationGraph;

/**
 * The result of one head.
 *
 * @param name what the head is called
 * @param net backbone and head, trained
 * @param history the epochs of both stages
 * @param predictions the predicted classes of the test images
 * @param seconds how long the training took
 */
public record HeadResult(
    String name,
    ComputationGraph net,
    List<EpochRecord> history,
    Predictions predictions,
    double seconds) {

  /**
   * The share of test images classified correctly.
   *
   * @return 0 to 1
   */
  public double accuracy() {
    return predictions.accuracy();
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
    for (int i = 0; i < predictions.size(); i++) {
      better += predictions.isRight(i) && !other.predictions.isRight(i) ? 1 : 0;
      worse += !predictions.isRight(i) && other.predictions.isRight(i) ? 1 : 0;
    }
    double n = predictions.size();
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
