/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.graft;

import org.deeplearning4j.nn.conf.layers.BaseLayer;
import org.nd4j.linalg.learning.config.IUpdater;

/** What is set for one part of a head alone: its updater and its penalties. */
final class Part {

  private final String name;
  private IUpdater updater;
  private double weightDecay;
  private double l2;

  Part(String name) {
    this.name = name;
  }

  void updater(IUpdater updater) {
    this.updater = updater;
  }

  /** A copy of the updater for a layer of its own, or null. */
  IUpdater updater() {
    return updater == null ? null : updater.clone();
  }

  void weightDecay(double coefficient) {
    this.weightDecay = requireNotNegative("weight decay", coefficient);
  }

  void l2(double coefficient) {
    this.l2 = requireNotNegative("l2 penalty", coefficient);
  }

  private double requireNotNegative(String what, double value) {
    if (!(value >= 0) || Double.isInfinite(value)) {
      throw new IllegalArgumentException(
          "expected a finite " + what + " of the " + name + " that is not negative, got " + value);
    }
    return value;
  }

  /** Sets what is set on a layer's builder. */
  void applyTo(BaseLayer.Builder<?> layer) {
    if (weightDecay > 0 && l2 > 0) {
      throw new IllegalArgumentException(
          "expected weight decay or an l2 penalty of the " + name + ", got both");
    }
    if (updater != null) {
      layer.updater(updater());
    }
    if (weightDecay > 0) {
      layer.weightDecay(weightDecay);
    }
    if (l2 > 0) {
      layer.l2(l2);
    }
  }
}
