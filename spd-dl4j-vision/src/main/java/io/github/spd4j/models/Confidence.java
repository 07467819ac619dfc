/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.models;

import io.github.spd4j.statistics.Temperature;
import java.util.Locale;
import org.nd4j.shade.jackson.annotation.JsonCreator;
import org.nd4j.shade.jackson.annotation.JsonProperty;

/**
 * How far the answers of a network can be trusted, as images tell that it has not learnt from. A
 * part of its {@link ModelCard}.
 */
public final class Confidence {

  /** Nothing is known: probabilities are taken as they are, and no answer is unsure. */
  public static final Confidence UNKNOWN = of(1, 0);

  private final double temperature;
  private final double unsureBelow;

  private Confidence(double temperature, double unsureBelow) {
    ModelCard.require(
        temperature > 0 && temperature < Double.POSITIVE_INFINITY,
        "a finite temperature above 0",
        temperature);
    ModelCard.require(
        unsureBelow >= 0 && unsureBelow <= 1, "a probability that is unsure below", unsureBelow);
    this.temperature = temperature;
    this.unsureBelow = unsureBelow;
  }

  /**
   * What is known.
   *
   * @param temperature what makes probabilities of outputs, see {@link Temperature}; 1 for outputs
   *     that are right as they are
   * @param unsureBelow the probability below which an answer is unsure; 0 for none
   * @return it
   */
  @JsonCreator
  public static Confidence of(
      @JsonProperty(value = "temperature", required = true) double temperature,
      @JsonProperty(value = "unsureBelow", required = true) double unsureBelow) {
    return new Confidence(temperature, unsureBelow);
  }

  /**
   * What makes probabilities of the network's outputs.
   *
   * @return the temperature, see {@link Temperature}
   */
  @JsonProperty
  public double temperature() {
    return temperature;
  }

  /**
   * How probable an answer must be.
   *
   * @return the probability below which an answer is unsure
   */
  @JsonProperty
  public double unsureBelow() {
    return unsureBelow;
  }

  /** Both numbers. */
  @Override
  public String toString() {
    return String.format(
        Locale.ROOT, "temperature %.3g, unsure below %.3g", temperature, unsureBelow);
  }
}
