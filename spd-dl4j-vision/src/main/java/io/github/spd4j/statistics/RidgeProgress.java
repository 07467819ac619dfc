/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.statistics;

/** Is told how the fit of a {@link RidgeClassifier} goes on, by the thread that fits. */
@FunctionalInterface
public interface RidgeProgress {

  /** Listens to nothing. */
  RidgeProgress NONE = (done, total) -> {};

  /**
   * Examples were read, or the equations solved, which counts as reading each of them once more.
   *
   * @param done how many so far
   * @param total how many in all; an example may be read more than once
   */
  void examplesDone(long done, long total);
}
