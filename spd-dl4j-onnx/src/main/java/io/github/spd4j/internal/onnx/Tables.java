/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.onnx;

import io.github.spd4j.acceleration.Acceleration;

/** How classes are looked up in the tables. */
final class Tables {

  private static final String ACCELERATED = Acceleration.class.getPackageName();

  private Tables() {}

  /**
   * The class by which a table knows an object: its own, since a subclass may compute something
   * else. What {@link Acceleration} put in the place of a class of DL4J's computes the same.
   */
  static Class<?> known(Class<?> type) {
    return type.getPackageName().equals(ACCELERATED) ? known(type.getSuperclass()) : type;
  }
}
