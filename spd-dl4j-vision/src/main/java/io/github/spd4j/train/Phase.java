/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

/** A part of a stage, which {@link Phases} puts into order. */
interface Phase {

  /**
   * Runs it, or what is left of it after an interruption.
   *
   * @param stage what the phases of a stage share
   */
  void run(StageRun stage);

  /** One line for people. */
  @Override
  String toString();
}
