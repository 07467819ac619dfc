/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import io.github.spd4j.graft.Head;
import io.github.spd4j.kernel.Bandwidth;
import io.github.spd4j.layers.FisherVectorLayer;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * What the head of a {@link Method} is made from: its settings, and the feature maps of a backbone.
 *
 * <p>It remembers which settings the method asks for: others would change nothing.
 */
public final class Recipe {

  private final Method method;
  private final HeadSettings settings;
  private final int maps;
  private final boolean hasFullyConnected;

  /** What the method asked for, by the names of the settings. */
  private final Map<String, String> asked = new HashMap<>();

  private final Head head;

  Recipe(Method method, HeadSettings settings, int maps, boolean hasFullyConnected) {
    this.method = method;
    this.settings = settings;
    this.maps = maps;
    this.hasFullyConnected = hasFullyConnected;
    this.head = convolved(method.made(this));
  }

  /**
   * The head.
   *
   * @return it, with its convolution
   */
  public Head head() {
    return head;
  }

  /** The settings that the method asks for, by the names of their fields. */
  Set<String> asked() {
    return Collections.unmodifiableSet(asked.keySet());
  }

  private <T> T asked(String name, T value) {
    asked.put(name, String.valueOf(value));
    return value;
  }

  /** Whether the backbone has pretrained fully connected layers. */
  boolean hasFullyConnected() {
    return hasFullyConnected;
  }

  /**
   * The feature maps after the convolution, which is never wider than the backbone: one with fewer
   * than 512 maps is only there for tests.
   */
  int width() {
    return method.convolution == 0 ? maps : Math.min(method.convolution, maps);
  }

  /** C' of the SPD transform. */
  int transform(int usual) {
    int set = settings.transform;
    return asked("transform", set == 0 ? usual : Math.min(set, width()));
  }

  double exponent() {
    return asked("exponent", settings.exponent);
  }

  int sketch() {
    return asked("sketch", settings.sketch);
  }

  Head scaled(Head head) {
    return head.scale(scale());
  }

  /** Multiplied by less the more numbers the vector has, so that it is about as long as others. */
  Head scaledByWidth(Head head) {
    return head.scale(scale() / width());
  }

  private double scale() {
    return asked("scale", settings.scale);
  }

  /** A vector with both normalisations. */
  Head normalised(Head head) {
    return scaled(head.powerFloor(asked("powerFloor", settings.powerFloor)));
  }

  /** With the kernel that is set. */
  Head kernel(Head head) {
    return head.kernel(asked("kernel", settings.kernel).with(this::bandwidth));
  }

  private Bandwidth bandwidth() {
    Bandwidth mean = Bandwidth.meanDistance().times(asked("bandwidth", settings.bandwidth));
    boolean differentiated = asked("differentiateBandwidth", settings.differentiateBandwidth);
    Bandwidth bandwidth = differentiated ? mean.differentiated() : mean;
    return asked("learnBandwidth", settings.learnBandwidth) ? bandwidth.learnt() : bandwidth;
  }

  Head fisherVectors() {
    int components = asked("components", settings.components);
    int dimensions = Math.min(asked("dimensions", settings.dimensions), maps);
    return Head.fisherVectors()
        .with(
            FisherVectorLayer.Builder.class,
            vector -> vector.components(components).dimensions(dimensions));
  }

  private Head convolved(Head made) {
    if (method.convolution == 0) {
      return made;
    }
    Head convolved = made.convolution(width());
    return startsAsIdentity() ? convolved.identityStart() : convolved;
  }

  /** An identity to fewer maps would only drop the others. */
  private boolean startsAsIdentity() {
    return !asked("randomStart", settings.randomStart) && width() == maps;
  }

  /** What the head is made of, by the names that runs are stored with. */
  Map<String, String> byName() {
    Map<String, String> all = new LinkedHashMap<>(settings.byName());
    all.put("head", method.stored(hasFullyConnected));
    if (method.convolution > 0) {
      all.put("convolution", String.valueOf(width()));
      all.put("convolutionStart", startsAsIdentity() ? "identity" : "random");
    }
    for (String name : HeadSettings.OF_SOME_METHODS) {
      if (asked.containsKey(name)) {
        all.put(name, asked.get(name));
      }
    }
    return all;
  }
}
