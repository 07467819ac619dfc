/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.backend;

import java.lang.ref.SoftReference;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.nd4j.linalg.api.ops.executioner.OpExecutioner.ExecutionerType;
import org.nd4j.linalg.factory.Nd4j;

/**
 * {@link Scratch} that all layers share. Whoever makes one of these has it alone until it is
 * closed, and leaves its arrays to the next: there are as many as passes run at a time, however
 * many layers there are. The garbage collector takes those that have not been used for long.
 *
 * <p>On a device nothing is left to the next: it may still be at work on the arrays for one thread,
 * and other threads would not wait.
 */
public final class SharedScratch implements AutoCloseable {

  /** Those that were used last come first. */
  private static final Deque<SoftReference<Scratch>> SPARE = new ConcurrentLinkedDeque<>();

  private final Scratch scratch;

  /** Takes what is spare, or makes anew. */
  public SharedScratch() {
    Scratch spare = null;
    while (spare == null && !SPARE.isEmpty()) {
      SoftReference<Scratch> next = SPARE.pollFirst();
      spare = next == null ? null : next.get();
    }
    scratch = spare == null ? new Scratch() : spare;
  }

  /**
   * The scratch. Its Java arrays may be longer than they were asked for.
   *
   * @return arrays by name
   */
  public Scratch get() {
    return scratch;
  }

  /** Leaves it to the next. */
  @Override
  public void close() {
    if (Nd4j.getExecutioner().type() == ExecutionerType.NATIVE_CPU) {
      SPARE.addFirst(new SoftReference<>(scratch));
    }
  }
}
