/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.spd4j.spark.Stripes;
import java.io.IOException;
import java.io.InvalidClassException;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FilteredObjectsTest {

  private static boolean gadgetRan;

  @BeforeEach
  void forget() {
    gadgetRan = false;
  }

  private static Object copy(Object value) throws Exception {
    Set<String> classes = new HashSet<>();
    byte[] bytes = FilteredObjects.write(value, classes);
    return FilteredObjects.read(bytes, classes);
  }

  @Test
  void whatWasWrittenIsRead() throws Exception {
    Map<String, Object> tree = new TreeMap<>();
    tree.put("list", List.of(1, 2, 3));
    tree.put("longer", new ArrayList<>(List.of("a", TimeUnit.DAYS)));
    tree.put("map", new HashMap<>(Map.of(int.class, 2.5)));
    tree.put("set", new HashSet<>(Set.of(3L)));
    tree.put("many", new HashSet<>(Arrays.asList(new Integer[] {1, 2, 3, 4, 5, 6, 7, 8, 9})));
    assertThat(copy(tree)).isEqualTo(tree);
    assertThat((float[][]) copy(new float[][] {{1, 2}, {3}}))
        .isDeepEqualTo(new float[][] {{1, 2}, {3}});
    IntUnaryOperator twice = (IntUnaryOperator & Serializable) i -> 2 * i;
    assertThat(((IntUnaryOperator) copy(twice)).applyAsInt(4)).isEqualTo(8);
    Stripes images = new Stripes(4, 3);
    assertThat(((Stripes) copy(images)).image(1)).isEqualTo(images.image(1));
  }

  @Test
  void anotherClassIsNotRead() throws Exception {
    byte[] forged = FilteredObjects.write(new ArrayList<>(List.of(new Gadget())), new HashSet<>());
    Set<String> classes = Set.of(ArrayList.class.getName());
    assertThatThrownBy(() -> FilteredObjects.read(forged, classes))
        .isInstanceOf(InvalidClassException.class);
    assertThat(gadgetRan).isFalse();
    copy(new Gadget());
    assertThat(gadgetRan).as("the attack works").isTrue();
  }

  @Test
  void aForgedLengthCostsNoMemory() throws Exception {
    Set<String> classes = new HashSet<>();
    byte[] bytes = FilteredObjects.write(new long[] {7}, classes);
    ByteBuffer.wrap(bytes).putInt(bytes.length - 12, Integer.MAX_VALUE);
    assertThatThrownBy(() -> FilteredObjects.read(bytes, classes))
        .isInstanceOf(InvalidClassException.class);
  }

  /** Does something when it is read. */
  private static final class Gadget implements Serializable {
    private static final long serialVersionUID = 1L;

    private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
      in.defaultReadObject();
      gadgetRan = true;
    }
  }
}
