/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.progress;

import io.github.spd4j.linalg.NotFiniteException;
import java.util.Objects;
import org.nd4j.linalg.api.ndarray.INDArray;

/** Adds up loss and accuracy over batches. */
public final class LossAndAccuracy {

  /** A probability below this counts as this, so that one wrong image costs a finite loss. */
  private static final double SMALLEST_PROBABILITY = 1e-10;

  private int images;
  private int right;
  private double loss;
  private double firstLoss = Double.NaN;

  /** Nothing yet. */
  public LossAndAccuracy() {}

  /**
   * Adds a batch.
   *
   * @param probabilities [N, classes]
   * @param labels the N right classes
   * @throws NotFiniteException if a probability is not a number
   */
  public void add(INDArray probabilities, int[] labels) {
    Objects.requireNonNull(probabilities, "probabilities");
    Objects.requireNonNull(labels, "labels");
    int batchRight = 0;
    double batchLoss = 0;
    int rows = Math.toIntExact(probabilities.size(0));
    int classes = Math.toIntExact(probabilities.size(1));
    double[] all = probabilities.dup('c').data().asDouble(); // row by row, ND4J takes its time
    for (int i = 0; i < rows; i++) {
      int first = i * classes;
      int guess = first;
      for (int k = first; k < first + classes; k++) {
        if (!Double.isFinite(all[k])) {
          throw new NotFiniteException("the network's output is " + all[k]);
        }
        guess = all[k] > all[guess] ? k : guess;
      }
      batchRight += guess == first + labels[i] ? 1 : 0;
      batchLoss -= Math.log(Math.max(all[first + labels[i]], SMALLEST_PROBABILITY));
    }
    add(rows, batchRight, batchLoss);
  }

  /**
   * Adds a batch whose loss and accuracy are known.
   *
   * @param images how many images it has
   * @param right how many of them were classified rightly
   * @param loss the sum of their cross-entropies
   * @throws NotFiniteException if the loss is not a number
   */
  public void add(int images, int right, double loss) {
    if (!Double.isFinite(loss)) {
      throw new NotFiniteException("the loss of a batch is " + loss);
    }
    this.images += images;
    this.right += right;
    this.loss += loss;
    firstLoss = Double.isNaN(firstLoss) ? loss / images : firstLoss;
  }

  /**
   * How many images there were.
   *
   * @return the number of images
   */
  public int images() {
    return images;
  }

  /**
   * How many images were classified rightly.
   *
   * @return at most as many as images
   */
  public int right() {
    return right;
  }

  /**
   * The sum of the cross-entropies.
   *
   * @return 0 without images
   */
  public double totalLoss() {
    return loss;
  }

  /**
   * The mean cross-entropy.
   *
   * @return NaN without images
   */
  public double loss() {
    return loss / images;
  }

  /**
   * The mean cross-entropy of the batch that came first.
   *
   * @return NaN without images
   */
  public double firstLoss() {
    return firstLoss;
  }

  /**
   * The share of images that were classified rightly.
   *
   * @return NaN without images
   */
  public double accuracy() {
    return (double) right / images;
  }

  /**
   * Whether more images were classified rightly than by another classifier, or as many with a lower
   * loss.
   *
   * @param other the figures of another classifier on the same images
   * @return true if so
   */
  public boolean isBetterThan(LossAndAccuracy other) {
    Objects.requireNonNull(other, "other");
    return right > other.right || right == other.right && loss < other.loss;
  }
}
