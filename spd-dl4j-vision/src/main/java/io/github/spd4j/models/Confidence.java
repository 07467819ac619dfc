/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.models;

import io.github.spd4j.statistics.Familiarity;
import io.github.spd4j.statistics.Temperature;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import org.nd4j.shade.jackson.annotation.JsonCreator;
import org.nd4j.shade.jackson.annotation.JsonInclude;
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
  private final Familiarity familiarity; // null if nothing is known
  private final double unlikeAbove;

  private Confidence(
      double temperature, double unsureBelow, Familiarity familiarity, double unlikeAbove) {
    ModelCard.require(
        temperature > 0 && temperature < Double.POSITIVE_INFINITY,
        "a finite temperature above 0",
        temperature);
    ModelCard.require(
        unsureBelow >= 0 && unsureBelow <= 1, "a probability that is unsure below", unsureBelow);
    this.temperature = temperature;
    this.unsureBelow = unsureBelow;
    this.familiarity = familiarity;
    this.unlikeAbove = unlikeAbove;
  }

  /**
   * What is known.
   *
   * @param temperature what makes probabilities of outputs, see {@link Temperature}; 1 for outputs
   *     that are right as they are
   * @param unsureBelow the probability below which an answer is unsure; 0 for none
   * @return it
   */
  public static Confidence of(double temperature, double unsureBelow) {
    return new Confidence(temperature, unsureBelow, null, 0);
  }

  @JsonCreator
  static Confidence parsed(
      @JsonProperty(value = "temperature", required = true) double temperature,
      @JsonProperty(value = "unsureBelow", required = true) double unsureBelow,
      @JsonProperty("familiarity") byte[] familiarity,
      @JsonProperty("unlikeAbove") double unlikeAbove) {
    Confidence confidence = of(temperature, unsureBelow);
    return familiarity == null
        ? confidence
        : confidence.unlike(Familiarity.of(familiarity), unlikeAbove);
  }

  /**
   * The same, and which images are unlike all that were trained on.
   *
   * @param known how far the means of an image's feature maps, at the end of the backbone, lie from
   *     those of all classes
   * @param above the largest distance of an image that is like some
   * @return a new one
   */
  public Confidence unlike(Familiarity known, double above) {
    ModelCard.require(above > 0 && above < Double.POSITIVE_INFINITY, "a distance above 0", above);
    return new Confidence(temperature, unsureBelow, Objects.requireNonNull(known, "known"), above);
  }

  @JsonProperty("familiarity")
  @JsonInclude(JsonInclude.Include.NON_NULL)
  private byte[] bytes() {
    return familiarity == null ? null : familiarity.bytes();
  }

  /**
   * How far images lie from all classes that were trained on.
   *
   * @return nothing if it is not known
   */
  public Optional<Familiarity> familiarity() {
    return Optional.ofNullable(familiarity);
  }

  /**
   * The largest distance of an image that is like some that were trained on.
   *
   * @return a distance of {@link #familiarity}; 0 without one
   */
  @JsonProperty
  public double unlikeAbove() {
    return unlikeAbove;
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
