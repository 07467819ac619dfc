/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.spark;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InvalidClassException;
import java.io.ObjectInputFilter;
import java.io.ObjectInputFilter.Status;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.util.Set;

/**
 * Objects by Java's serialisation, read back with no other classes than those that were written.
 */
final class FilteredObjects {

  private static final int DEEPEST = 1000;

  private FilteredObjects() {}

  /**
   * Writes an object.
   *
   * @param value what is {@link java.io.Serializable}
   * @param classes gets the names of the classes that are written
   */
  static byte[] write(Object value, Set<String> classes) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new RecordingStream(bytes, classes)) {
      out.writeObject(value);
    }
    return bytes.toByteArray();
  }

  /**
   * Reads an object.
   *
   * @param bytes what {@link #write} gave
   * @param classes the names of the classes that it may have
   * @throws java.io.InvalidClassException if it has others; no code of theirs was run
   */
  static Object read(byte[] bytes, Set<String> classes) throws IOException, ClassNotFoundException {
    try (ObjectInputStream in = new FilteringStream(bytes, classes)) {
      in.setObjectInputFilter(info -> status(info, bytes.length));
      return in.readObject();
    }
  }

  /** A hash table has up to four places for each element, which takes two bytes at least. */
  private static Status status(ObjectInputFilter.FilterInfo info, int bytes) {
    boolean bounded = info.depth() <= DEEPEST && info.arrayLength() <= 16 + 2L * bytes;
    return bounded ? Status.ALLOWED : Status.REJECTED;
  }

  private static final class RecordingStream extends ObjectOutputStream {
    private final Set<String> classes;

    RecordingStream(ByteArrayOutputStream bytes, Set<String> classes) throws IOException {
      super(bytes);
      this.classes = classes;
    }

    @Override
    protected void annotateClass(Class<?> type) {
      classes.add(type.getName());
    }

    @Override
    protected void annotateProxyClass(Class<?> type) {
      for (Class<?> face : type.getInterfaces()) {
        classes.add(face.getName());
      }
    }
  }

  /** Classes are compared by name, before they are loaded. */
  private static final class FilteringStream extends ObjectInputStream {
    private final Set<String> classes;

    FilteringStream(byte[] bytes, Set<String> classes) throws IOException {
      super(new ByteArrayInputStream(bytes));
      this.classes = classes;
    }

    /** Jars that Spark brings to an executor are known to the thread's class loader alone. */
    @Override
    protected Class<?> resolveClass(ObjectStreamClass type)
        throws IOException, ClassNotFoundException {
      requireWritten(type.getName());
      try {
        return Class.forName(type.getName(), false, Thread.currentThread().getContextClassLoader());
      } catch (ClassNotFoundException e) { // such as int.class
        return super.resolveClass(type);
      }
    }

    @Override
    protected Class<?> resolveProxyClass(String[] interfaces)
        throws IOException, ClassNotFoundException {
      for (String name : interfaces) {
        requireWritten(name);
      }
      return super.resolveProxyClass(interfaces);
    }

    private void requireWritten(String name) throws InvalidClassException {
      if (!classes.contains(name)) {
        throw new InvalidClassException(name, "expected only classes that the driver sent");
      }
    }
  }
}
