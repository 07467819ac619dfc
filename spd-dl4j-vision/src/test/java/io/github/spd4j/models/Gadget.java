/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.models;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.util.HashSet;
import java.util.Set;

/** Leaves a trace in a system property when it is deserialised, or when {@link Quiet} is loaded. */
final class Gadget implements Serializable {

  static final String TRACE = "io.github.spd4j.models.gadget";

  private static final long serialVersionUID = 1L;

  private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
    in.defaultReadObject();
    System.setProperty(TRACE, "deserialised");
  }

  static byte[] serialised(Object object) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(object);
    }
    return bytes.toByteArray();
  }

  /** Sets within sets, whose hash codes take a time that doubles with each. */
  static Set<Object> nestedSets() {
    Set<Object> root = new HashSet<>();
    Set<Object> one = root;
    Set<Object> other = new HashSet<>();
    for (int i = 0; i < 60; i++) {
      Set<Object> next = new HashSet<>();
      Set<Object> nextOther = new HashSet<>();
      next.add("not like the other");
      one.add(next);
      one.add(nextOther);
      other.add(next);
      other.add(nextOther);
      one = next;
      other = nextOther;
    }
    return root;
  }

  /** Leaves its trace as soon as it is initialised. */
  static final class Quiet {
    static {
      System.setProperty(TRACE, "initialised");
    }

    private Quiet() {}
  }
}
