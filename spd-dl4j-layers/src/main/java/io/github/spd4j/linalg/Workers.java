/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.linalg;

import java.util.stream.IntStream;
import org.nd4j.linalg.factory.Nd4j;

/** Spreads work in Java over as many threads as ND4J may use. */
public final class Workers {

  private Workers() {}

  /** Work on a range of items, on a thread of its own. */
  public interface Range {

    /**
     * Does the work.
     *
     * @param from the first item
     * @param to the item after the last
     */
    void run(int from, int to);
  }

  /**
   * How many threads there are.
   *
   * @return at least 1
   */
  public static int count() {
    return Math.max(1, Nd4j.getEnvironment().maxThreads());
  }

  /**
   * Splits items into ranges of nearly equal size and waits until all are done.
   *
   * @param items how many
   * @param work what to do with a range
   */
  public static void share(int items, Range work) {
    int parts = Math.min(count(), items);
    if (parts <= 1) {
      work.run(0, items);
    } else {
      IntStream.range(0, parts)
          .parallel()
          .forEach(part -> work.run(start(items, part, parts), start(items, part + 1, parts)));
    }
  }

  private static int start(int items, int part, int parts) {
    return (int) ((long) items * part / parts);
  }
}
