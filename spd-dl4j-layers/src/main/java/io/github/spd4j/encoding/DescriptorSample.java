/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.encoding;

import io.github.spd4j.internal.backend.Arguments;
import io.github.spd4j.linalg.Matrices;
import io.github.spd4j.linalg.NotFiniteException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.commons.lang3.Validate;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/**
 * A sample of descriptors of bounded size, in which each descriptor that was shown is with the same
 * probability (reservoir sampling). Single precision is enough for it.
 */
public final class DescriptorSample {

  private final int capacity;
  private final Random random;
  private final List<float[]> rows = new ArrayList<>();
  private long seen;

  /**
   * An empty sample.
   *
   * @param capacity the most descriptors to keep
   * @param seed the seed of the choice
   */
  public DescriptorSample(int capacity, long seed) {
    this.capacity = (int) Arguments.atLeast((long) capacity, 1, "capacity");
    this.random = new Random(seed);
  }

  /**
   * Shows descriptors, some of which are kept.
   *
   * @param descriptors [n, C], always of the same C
   * @throws NotFiniteException if they are not finite
   */
  public void add(INDArray descriptors) {
    int size = Arguments.matrix(descriptors, "descriptors").columns();
    if (!rows.isEmpty() && size != rows.get(0).length) {
      throw Arguments.refused("descriptors", rows.get(0).length + " numbers in each", size);
    }
    Matrices.requireFinite(descriptors, "descriptors");
    float[] all = descriptors.castTo(DataType.FLOAT).dup('c').data().asFloat();
    for (int i = 0; i < descriptors.rows(); i++) {
      seen++;
      if (rows.size() < capacity) {
        rows.add(Arrays.copyOfRange(all, i * size, (i + 1) * size));
      } else {
        long place = (long) (random.nextDouble() * seen);
        if (place < capacity) {
          rows.set((int) place, Arrays.copyOfRange(all, i * size, (i + 1) * size));
        }
      }
    }
  }

  /**
   * How many descriptors were shown.
   *
   * @return their number
   */
  public long seen() {
    return seen;
  }

  /**
   * The descriptors that are kept.
   *
   * @return a new FLOAT array [n, C]
   */
  public INDArray descriptors() {
    Validate.isTrue(!rows.isEmpty(), "expected at least one descriptor, got none");
    return Nd4j.createFromArray(rows.toArray(new float[0][]));
  }
}
