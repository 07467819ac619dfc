/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.checks;

import java.util.Locale;

/** What a {@link GradientCheck} found for one parameter, at the entry with the worst agreement. */
public final class ParameterCheck {

  /** How far apart a gradient and a difference of the loss may be. */
  static final double TOLERANCE = 1e-4;

  private final String name;
  private final String entry;
  private final double gradient;
  private final double expected;
  private final double difference;
  private final String reason;

  private ParameterCheck(
      String name,
      String entry,
      double gradient,
      double expected,
      double difference,
      String reason) {
    this.name = name;
    this.entry = entry;
    this.gradient = gradient;
    this.expected = expected;
    this.difference = difference;
    this.reason = reason;
  }

  /** A parameter that was compared. */
  static ParameterCheck compared(
      String name, String entry, double gradient, double expected, double difference) {
    return new ParameterCheck(name, entry, gradient, expected, difference, null);
  }

  /** A parameter that is not learnt by its gradient. */
  static ParameterCheck notLearnt(String name, String reason) {
    return new ParameterCheck(name, "", 0, 0, 0, "not learnt: " + reason);
  }

  ParameterCheck explainedBy(WholeDerivatives whole, ParameterCheck otherwise) {
    if (otherwise.isApart()) {
      return this;
    }
    String why =
        String.format(
            Locale.ROOT,
            "as intended: the bandwidth of %s is a constant in the backward pass; with"
                + " Bandwidth.differentiated() they are apart by %.1e",
            whole.changed(),
            otherwise.difference);
    return new ParameterCheck(name, entry, gradient, expected, difference, why);
  }

  /**
   * The name of the parameter.
   *
   * @return as in the network's {@code paramTable()}
   */
  public String name() {
    return name;
  }

  /**
   * The gradient by backpropagation.
   *
   * @return of the mean loss, at the worst entry
   */
  public double gradient() {
    return gradient;
  }

  /**
   * The central difference of the loss.
   *
   * @return what the gradient should be, at the worst entry
   */
  public double expected() {
    return expected;
  }

  /**
   * How far apart they are.
   *
   * @return relative to the larger of the two, or to a hundredth of the parameter's largest
   *     gradient
   */
  public double difference() {
    return difference;
  }

  /**
   * Why they are apart, or why the parameter was not checked.
   *
   * @return a sentence; empty if they agree, or if the reason is not known
   */
  public String reason() {
    return reason == null ? "" : reason;
  }

  /**
   * Whether the gradient is wrong.
   *
   * @return true if it disagrees with the differences for no known reason
   */
  public boolean isWrong() {
    return isApart() && reason == null;
  }

  boolean isApart() {
    return !(difference <= TOLERANCE);
  }

  @Override
  public String toString() {
    if (entry.isEmpty()) {
      return name + ": " + reason;
    }
    String verdict = isWrong() ? "wrong" : isApart() ? reason : "right";
    return String.format(
        Locale.ROOT,
        "%s: gradient %.6g, by differences %.6g, apart by %.1e at %s: %s",
        name,
        gradient,
        expected,
        difference,
        entry,
        verdict);
  }
}
