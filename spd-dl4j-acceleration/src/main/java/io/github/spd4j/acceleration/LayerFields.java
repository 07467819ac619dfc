/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.acceleration;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;

/** Fields of DL4J's classes that have no other way in. */
final class LayerFields {

  private LayerFields() {}

  /** Puts what the fields of one of DL4J's classes hold into those of one of a subclass. */
  static <T> T copied(Object from, T to) {
    for (Class<?> type = to.getClass().getSuperclass(); type != null; type = type.getSuperclass()) {
      for (Field field : type.getDeclaredFields()) {
        if (!Modifier.isStatic(field.getModifiers())) {
          field.setAccessible(true);
          set(field, to, get(field, from));
        }
      }
    }
    return to;
  }

  /** A field of a class of DL4J. */
  static Field field(Class<?> type, String name) {
    try {
      Field field = type.getDeclaredField(name);
      field.setAccessible(true);
      return field;
    } catch (NoSuchFieldException e) {
      throw new IllegalStateException(
          String.format(
              "expected a %s of DL4J with the field '%s', got another version",
              type.getSimpleName(), name),
          e);
    }
  }

  static Object get(Field field, Object owner) {
    try {
      return field.get(owner);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e); // it was made accessible
    }
  }

  static void set(Field field, Object owner, Object value) {
    try {
      field.set(owner, value);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e); // it was made accessible
    }
  }
}
