/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.examples.experiments;

import io.github.spd4j.encoding.FitProgress;
import io.github.spd4j.train.TrainingProgress;
import java.util.Locale;

/** Tells now and then how the fit of a mixture goes on. */
final class FitMessages implements FitProgress {

  private static final int EVERY = 10;

  private final TrainingProgress progress;

  FitMessages(TrainingProgress progress) {
    this.progress = progress;
  }

  @Override
  public void iterationDone(int iteration, double meanLogLikelihood) {
    if (iteration % EVERY == 0) {
      progress.message(
          String.format(Locale.ROOT, "step %d, log-likelihood %.3f", iteration, meanLogLikelihood));
    }
  }
}
