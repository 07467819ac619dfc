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
import java.util.stream.IntStream;

/** What an {@link ImageClassifier} says of an image. */
public final class Classification {

  private final Map<String, Double> probabilities;

  /** The probabilities of the classes, in the same order. */
  Classification(List<String> classes, double[] shares) {
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

  /** The most probable class and its probability. */
  @Override
  public String toString() {
    return String.format(Locale.ROOT, "%s %.1f %%", label(), 100 * probability());
  }
}
