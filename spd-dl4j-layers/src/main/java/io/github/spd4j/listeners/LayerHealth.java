/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.listeners;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.stream.Collectors;

/** The figures of one layer at one iteration. Immutable. */
public final class LayerHealth {

  private final String name;
  private final String type;
  private final Map<Figure, Double> figures;

  /**
   * The figures of a layer.
   *
   * @param name the name of the layer in its network
   * @param type the simple class name of its configuration
   * @param figures what was measured
   */
  public LayerHealth(String name, String type, Map<Figure, Double> figures) {
    this.name = Objects.requireNonNull(name, "name");
    this.type = Objects.requireNonNull(type, "type");
    Map<Figure, Double> copy = new EnumMap<>(Figure.class);
    copy.putAll(Objects.requireNonNull(figures, "figures"));
    this.figures = Collections.unmodifiableMap(copy);
  }

  /**
   * The name of the layer in its network: of the vertex, or in a MultiLayerNetwork of the layer or
   * else its position.
   *
   * @return the name
   */
  public String name() {
    return name;
  }

  /**
   * What kind of layer it is.
   *
   * @return the simple class name of its configuration
   */
  public String type() {
    return type;
  }

  /**
   * One figure.
   *
   * @param figure which
   * @return its value, or nothing if it was not measured
   */
  public OptionalDouble get(Figure figure) {
    Double value = figures.get(figure);
    return value == null ? OptionalDouble.empty() : OptionalDouble.of(value);
  }

  /**
   * All figures that were measured.
   *
   * @return an unmodifiable map, in the order of {@link Figure}
   */
  public Map<Figure, Double> figures() {
    return figures;
  }

  @Override
  public boolean equals(Object o) {
    if (!(o instanceof LayerHealth)) {
      return false;
    }
    LayerHealth that = (LayerHealth) o;
    return name.equals(that.name) && type.equals(that.type) && figures.equals(that.figures);
  }

  @Override
  public int hashCode() {
    return Objects.hash(name, type, figures);
  }

  /** One line, such as {@code "spd (SpdTransformLayer): ‖WᵀW−I‖ 6.10e-07, λmin 0.0312"}. */
  @Override
  public String toString() {
    return figures.entrySet().stream()
        .map(e -> e.getKey().label() + " " + e.getKey().format(e.getValue()))
        .collect(Collectors.joining(", ", name + " (" + type + "): ", ""));
  }
}
