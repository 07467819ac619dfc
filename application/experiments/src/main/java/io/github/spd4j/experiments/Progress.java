/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import io.github.spd4j.encoding.FitProgress;
import io.github.spd4j.train.progress.TrainingProgress;

/** Progress of a run or of another task, which may have something to close. */
public interface Progress extends TrainingProgress, FitProgress, AutoCloseable {

  @Override
  default void close() {}
}
