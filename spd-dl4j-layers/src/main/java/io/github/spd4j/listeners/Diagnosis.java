/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.listeners;

import io.github.spd4j.layers.KernelAggregationLayer;
import io.github.spd4j.layers.SpdLayer;
import io.github.spd4j.linalg.NumericPolicy;
import java.util.LinkedHashMap;
import java.util.Map;
import org.nd4j.linalg.api.buffer.DataType;

/** Says in a sentence what is wrong with the figures of a layer. */
final class Diagnosis {

  private Diagnosis() {}

  /** What is wrong, by a key that stays the same while the figures change. */
  static Map<String, String> of(SpdLayer layer, LayerHealth health, DataType type) {
    Map<String, String> found = new LinkedHashMap<>();
    String who = health.type() + " '" + health.name() + "': ";
    for (Map.Entry<Figure, Double> figure : health.figures().entrySet()) {
      if (figure.getValue().isNaN()) {
        found.putIfAbsent(who + "numbers", who + figure.getKey().label() + " is not a number");
      }
    }
    double limit = NumericPolicy.offManifold(type);
    double distance = health.get(Figure.OFF_MANIFOLD).orElse(0);
    if (distance > limit) {
      found.put(
          who + "manifold",
          who + "W is off the Stiefel manifold, ‖WᵀW−I‖ is " + distance + ", above " + limit);
    }
    // A matrix whose condition number reaches 1/ε cannot be told from a singular one.
    double condition = health.get(Figure.CONDITION).orElse(1);
    if (layer instanceof KernelAggregationLayer && condition * NumericPolicy.epsilon(type) >= 1) {
      found.put(
          who + "definite",
          String.format(
              "%sK is numerically not positive definite, its smallest eigenvalue is %s; %d of %d"
                  + " feature maps are zero everywhere, and equal maps make K singular unless there"
                  + " is a ridge",
              who,
              health.get(Figure.LAMBDA_MIN).orElse(Double.NaN),
              (long) health.get(Figure.DEAD_CHANNELS).orElse(0),
              layer.getNIn()));
    }
    return found;
  }
}
