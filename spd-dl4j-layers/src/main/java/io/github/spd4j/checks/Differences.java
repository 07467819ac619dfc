/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.checks;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.LongStream;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.api.shape.Shape;
import org.nd4j.linalg.ops.transforms.Transforms;

/** Compares gradients with central differences. */
final class Differences {

  /** Where a step crosses a kink, as of ReLU or max pooling, a smaller one may not. */
  private static final double[] STEPS = {1e-6, 1e-7, 3e-8};

  /** Below this, in an entry of a gradient, a central difference in DOUBLE is rounding. */
  private static final double SMALLEST = 1e-5;

  private static final long SEED = 1;

  private final NetworkCopy net;
  private final int entries;

  Differences(NetworkCopy net, int entries) {
    this.net = net;
    this.entries = entries;
  }

  /** Checks one parameter. */
  ParameterCheck of(String name) {
    String fixed = net.whyNotLearnt(name);
    if (fixed != null) {
      return ParameterCheck.notLearnt(name, fixed);
    }
    INDArray gradient = net.gradient(name);
    double scale = Math.max(SMALLEST, gradient.amaxNumber().doubleValue() / 100);
    ParameterCheck worst = null;
    for (long number : drawn(gradient)) {
      long[] entry = Shape.ind2subC(gradient.shape(), number);
      ParameterCheck check = compared(name, entry, gradient.getDouble(entry), scale);
      if (worst == null || !(check.difference() <= worst.difference())) {
        worst = check;
      }
    }
    return worst;
  }

  /** Numbers of entries in C order, the one with the largest gradient first. */
  private long[] drawn(INDArray gradient) {
    long length = gradient.length();
    if (length <= entries) {
      return LongStream.range(0, length).toArray();
    }
    long largest = largest(gradient);
    LongStream others =
        new Random(SEED)
            .longs(0, length)
            .filter(entry -> entry != largest)
            .distinct()
            .limit(entries - 1L);
    return LongStream.concat(LongStream.of(largest), others).toArray();
  }

  private static long largest(INDArray gradient) {
    return Transforms.abs(gradient).dup('c').reshape(gradient.length()).argMax().getLong(0);
  }

  private ParameterCheck compared(String name, long[] entry, double gradient, double scale) {
    ParameterCheck best = null;
    for (double step : STEPS) {
      double expected = net.difference(name, entry, step);
      double size = Math.max(scale, Math.max(Math.abs(gradient), Math.abs(expected)));
      double apart = Math.abs(gradient - expected) / size;
      ParameterCheck check =
          ParameterCheck.compared(name, Arrays.toString(entry), gradient, expected, apart);
      if (best == null || apart < best.difference()) {
        best = check;
      }
      if (!best.isApart()) {
        break;
      }
    }
    return best;
  }
}
