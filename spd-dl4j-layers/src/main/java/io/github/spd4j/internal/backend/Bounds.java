/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.backend;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The largest numbers of a configuration, by the names of its fields: what a builder takes, a file
 * may have, and nothing else.
 */
public final class Bounds {

  /** In most fields: more rows, channels or pixels need more memory than there is. */
  private static final int LARGEST = 1 << 24;

  /** In fields that repeat work, or multiply sizes. */
  private static final Map<String, Integer> MOST =
      Map.of("iterations", 100, "steps", 100, "degree", 100, "scales", 16, "directions", 256);

  /** What counts something, and sizes neither memory nor work. */
  private static final Set<String> COUNTERS =
      Set.of("seed", "iterationCount", "epochCount", "iteration", "epoch");

  private static final String OURS = "io.github.spd4j.";

  private Bounds() {}

  /**
   * The largest number that a field may have, or the least if it is negated.
   *
   * @param field its name
   * @return infinity for a counter
   */
  public static double most(String field) {
    return COUNTERS.contains(field)
        ? Double.POSITIVE_INFINITY
        : MOST.getOrDefault(field, LARGEST).doubleValue();
  }

  /**
   * Whether a field has a bound of its own, and is a number wherever it is found.
   *
   * @param field its name
   * @return whether it has
   */
  public static boolean isNumber(String field) {
    return MOST.containsKey(field);
  }

  /**
   * A number beyond its bound, in a configuration or in one of this library that it has.
   *
   * @param configuration a layer, a kernel or the like
   * @return "field = number", if there is one
   */
  public static Optional<Map.Entry<String, Number>> beyond(Object configuration) {
    for (Class<?> type = configuration.getClass(); type != Object.class; ) {
      for (Field field : type.getDeclaredFields()) {
        Optional<Map.Entry<String, Number>> found =
            Modifier.isStatic(field.getModifiers()) ? Optional.empty() : in(field, configuration);
        if (found.isPresent()) {
          return found;
        }
      }
      type = type.getSuperclass();
    }
    return Optional.empty();
  }

  private static Optional<Map.Entry<String, Number>> in(Field field, Object configuration) {
    Class<?> type = field.getType();
    boolean isOurs = type.getName().startsWith(OURS) && !type.isEnum();
    if (!isOurs && !type.isPrimitive() && !Number.class.isAssignableFrom(type)) {
      return Optional.empty();
    }
    Object value;
    try {
      field.setAccessible(true);
      value = field.get(configuration);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(field + " cannot be read", e);
    }
    if (isOurs) {
      return value != null && value.getClass().getName().startsWith(OURS)
          ? beyond(value)
          : Optional.empty();
    }
    if (value instanceof Number) {
      double size = Math.abs(((Number) value).doubleValue());
      if (size > most(field.getName()) && Double.isFinite(size)) {
        return Optional.of(Map.entry(field.getName(), (Number) value));
      }
    }
    return Optional.empty();
  }
}
