/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import io.github.spd4j.train.progress.TrainingProgress;

/** Progress that may have something to close. */
public final class Progress {

  private Progress() {}

  /**
   * Closes progress that can be closed, such as a bar on a terminal.
   *
   * @param progress any progress
   */
  public static void close(TrainingProgress progress) {
    if (progress instanceof AutoCloseable) {
      try {
        ((AutoCloseable) progress).close();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
