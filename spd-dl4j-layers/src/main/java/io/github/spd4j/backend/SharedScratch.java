/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.backend;

import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;

/**
 * {@link Scratch} that all layers share. Whoever makes one of these has it to himself until he
 * closes it, and leaves its arrays to the next: there are as many as passes run at a time, however
 * many layers there are.
 */
public final class SharedScratch implements AutoCloseable {

  private static final Deque<Scratch> SPARE = new ConcurrentLinkedDeque<>();

  private final Scratch scratch;

  /** Takes what is spare, or makes anew. */
  public SharedScratch() {
    Scratch spare = SPARE.pollFirst();
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
    SPARE.addFirst(scratch);
  }
}
