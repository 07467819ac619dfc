/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.listeners;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import org.apache.commons.lang3.builder.EqualsBuilder;
import org.apache.commons.lang3.builder.HashCodeBuilder;

/** What was measured of a network at one iteration. Immutable. */
public final class HealthReport {

  private final int iteration;
  private final int epoch;
  private final Double gradientNorm;
  private final List<LayerHealth> layers;
  private final List<String> warnings;

  /**
   * A report.
   *
   * @param iteration the iteration, counted from 0
   * @param epoch the epoch, counted from 0
   * @param gradientNorm the norm of the whole network's gradient, or null if not measured
   * @param layers the SPD layers, in the network's order
   * @param warnings what is wrong, a sentence each
   */
  public HealthReport(
      int iteration,
      int epoch,
      Double gradientNorm,
      List<LayerHealth> layers,
      List<String> warnings) {
    Objects.requireNonNull(layers, "layers");
    Objects.requireNonNull(warnings, "warnings");
    this.iteration = iteration;
    this.epoch = epoch;
    this.gradientNorm = gradientNorm;
    this.layers = List.copyOf(layers);
    this.warnings = List.copyOf(warnings);
  }

  /**
   * The iteration.
   *
   * @return counted from 0
   */
  public int iteration() {
    return iteration;
  }

  /**
   * The epoch.
   *
   * @return counted from 0
   */
  public int epoch() {
    return epoch;
  }

  /**
   * The norm of the gradient of the whole network, of the mean loss over the batch.
   *
   * @return the norm, or nothing if there was no backward pass to measure
   */
  public OptionalDouble gradientNorm() {
    return gradientNorm == null ? OptionalDouble.empty() : OptionalDouble.of(gradientNorm);
  }

  /**
   * The SPD layers in the network's order.
   *
   * @return an unmodifiable list
   */
  public List<LayerHealth> layers() {
    return layers;
  }

  /**
   * The layer of a name.
   *
   * @param name its name in the network
   * @return the layer, or nothing if the network has no SPD layer of this name
   */
  public Optional<LayerHealth> layer(String name) {
    return layers.stream().filter(layer -> layer.name().equals(name)).findFirst();
  }

  /**
   * What is wrong, a sentence each.
   *
   * @return an unmodifiable list, empty if all is well
   */
  public List<String> warnings() {
    return warnings;
  }

  @Override
  public boolean equals(Object o) {
    return EqualsBuilder.reflectionEquals(this, o);
  }

  @Override
  public int hashCode() {
    return HashCodeBuilder.reflectionHashCode(this);
  }

  /** A line for the network and one for each layer. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("iteration " + iteration + ", epoch " + epoch);
    if (gradientNorm != null) {
      text.append(", gradient norm ").append(Figure.format(gradientNorm, false));
    }
    for (LayerHealth layer : layers) {
      text.append("\n  ").append(layer);
    }
    return text.toString();
  }
}
