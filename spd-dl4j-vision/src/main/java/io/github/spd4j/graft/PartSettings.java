/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.graft;

import org.deeplearning4j.nn.conf.layers.BaseLayer;
import org.nd4j.linalg.learning.config.IUpdater;

/** The updater and the penalties of one part of a head. */
final class PartSettings {

  private final String part;
  private IUpdater updater;
  private double weightDecay;
  private double l2;

  PartSettings(String part) {
    this.part = part;
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
          "expected a finite " + what + " of the " + part + " that is not negative, got " + value);
    }
    return value;
  }

  void applyTo(BaseLayer.Builder<?> layer) {
    if (weightDecay > 0 && l2 > 0) {
      throw new IllegalArgumentException(
          "expected weight decay or an l2 penalty of the " + part + ", got both");
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
