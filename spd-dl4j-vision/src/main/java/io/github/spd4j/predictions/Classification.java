/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.predictions;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/** What an {@link ImageClassifier} says of an image. */
public final class Classification {

  private final Map<String, Double> probabilities;
  private final double unsureBelow;
  private final boolean unlike;

  /** The probabilities of the classes, in the same order. */
  Classification(List<String> classes, double[] shares, double unsureBelow, boolean unlike) {
    this.unsureBelow = unsureBelow;
    this.unlike = unlike;
    Map<String, Double> sorted = new LinkedHashMap<>();
    IntStream.range(0, shares.length)
        .boxed()
        .sorted((a, b) -> Double.compare(shares[b], shares[a]))
        .forEach(k -> sorted.put(classes.get(k), shares[k]));
    this.probabilities = Collections.unmodifiableMap(sorted);
  }

  /**
   * The most probable class.
   *
   * @return its name
   */
  public String label() {
    return probabilities.keySet().iterator().next();
  }

  /**
   * The probability of the most probable class.
   *
   * @return 0 … 1
   */
  public double probability() {
    return probabilities.values().iterator().next();
  }

  /**
   * The probability of every class.
   *
   * @return by name, the most probable first; cannot be changed
   */
  public Map<String, Double> probabilities() {
    return probabilities;
  }

  /**
   * Whether the answer is less probable than it must be, by the {@link
   * io.github.spd4j.models.Confidence Confidence} of the model's card.
   *
   * @return true if somebody should look at the image
   */
  public boolean isUnsure() {
    return isUnsure(unsureBelow);
  }

  /**
   * Whether the answer is less probable than it must be.
   *
   * @param below how probable it must be
   * @return true if somebody should look at the image
   */
  public boolean isUnsure(double below) {
    return probability() < below;
  }

  /**
   * Whether the image is unlike anything that the network was trained on, so that the answer means
   * nothing. {@link io.github.spd4j.models.Confidence Confidence} says how that is known; about one
   * of twenty images of known classes is named, too.
   *
   * @return true if it is; false, too, if the model's card does not tell
   */
  public boolean isUnlike() {
    return unlike;
  }

  /**
   * What one should know beside the answer.
   *
   * @return nothing, or why the answer is doubtful
   */
  public Optional<String> doubt() {
    return doubt(unsureBelow);
  }

  /**
   * What one should know beside the answer.
   *
   * @param below how probable it must be, in place of what the model's card says
   * @return nothing, or why the answer is doubtful
   */
  public Optional<String> doubt(double below) {
    return Optional.ofNullable(
        unlike ? "unlike anything trained on" : isUnsure(below) ? "unsure" : null);
  }

  /** The most probable class and its probability, and whether it is doubtful. */
  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%s %.1f %%%s",
        label(),
        100 * probability(),
        doubt().map(why -> ", " + why).orElse(""));
  }
}
