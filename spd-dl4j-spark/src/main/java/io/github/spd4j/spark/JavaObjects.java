/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.spark;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;

/** Java's serialisation, with the classes that Spark has loaded for the present task. */
final class JavaObjects {

  private JavaObjects() {}

  static byte[] pack(Object value) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(value);
    }
    return bytes.toByteArray();
  }

  @SuppressWarnings("unchecked") // what was packed as a T
  static <T> T unpack(byte[] bytes) throws IOException, ClassNotFoundException {
    try (ObjectInputStream in = new TaskObjects(new ByteArrayInputStream(bytes))) {
      return (T) in.readObject();
    }
  }

  /** Jars that Spark brings to an executor are known to the thread's class loader alone. */
  private static final class TaskObjects extends ObjectInputStream {

    TaskObjects(InputStream in) throws IOException {
      super(in);
    }

    @Override
    protected Class<?> resolveClass(ObjectStreamClass type)
        throws IOException, ClassNotFoundException {
      try {
        return Class.forName(type.getName(), false, Thread.currentThread().getContextClassLoader());
      } catch (ClassNotFoundException e) {
        return super.resolveClass(type); // primitive types
      }
    }
  }
}
