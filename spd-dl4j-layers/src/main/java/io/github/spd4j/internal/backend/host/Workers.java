/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.internal.backend.host;

import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.apache.commons.lang3.exception.ExceptionUtils;
import org.nd4j.linalg.factory.Nd4j;

/** Spreads work in Java over as many threads as ND4J may use. */
public final class Workers {

  private Workers() {}

  /** Work on a range of items, on a thread of its own. */
  public interface Range {

    /**
     * Does the work.
     *
     * @param worker the number of the thread, less than {@link #count}
     * @param from the first item
     * @param to the item after the last
     */
    void run(int worker, int from, int to);
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
   * Splits items into ranges of nearly equal size and waits until all are done, even if one fails.
   *
   * @param items how many
   * @param work what to do with a range
   */
  public static void share(int items, Range work) {
    share(count(), items, work);
  }

  static void share(int threads, int items, Range work) {
    split(items, Math.min(threads, items), work);
  }

  /**
   * The same for work that multiplies matrices: each thread computes its products alone. If there
   * are fewer items than threads, they are done one after the other, and all threads share each
   * product.
   *
   * @param items how many
   * @param work what to do with a range
   * @return how many threads took part: those with a smaller number
   */
  public static int shareProducts(int items, Range work) {
    return shareProducts(count(), items, work);
  }

  static int shareProducts(int threads, int items, Range work) {
    int parts = items < threads ? 1 : threads;
    if (parts == 1) {
      work.run(0, 0, items);
    } else {
      split(
          items, parts, (worker, from, to) -> BlasThreads.alone(() -> work.run(worker, from, to)));
    }
    return parts;
  }

  /** Also where one fails, the others are done at the end: nobody uses their memory any more. */
  private static void split(int items, int parts, Range work) {
    AtomicReference<Throwable> failure = new AtomicReference<>();
    IntStream.range(0, parts)
        .parallel()
        .forEach(
            part -> {
              try {
                work.run(part, start(items, part, parts), start(items, part + 1, parts));
              } catch (RuntimeException | Error e) {
                failure.compareAndSet(null, e);
              }
            });
    if (failure.get() != null) {
      ExceptionUtils.rethrow(failure.get());
    }
  }

  /** The first item of a part; that of the part after the last is the number of items. */
  static int start(int items, int part, int parts) {
    return (int) ((long) items * part / parts);
  }
}
