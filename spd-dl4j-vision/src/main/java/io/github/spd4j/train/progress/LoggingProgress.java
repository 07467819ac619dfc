/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train.progress;

import io.github.spd4j.train.plan.Stage;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes plain lines to the log: one for each stage, epoch and message. */
public final class LoggingProgress implements TrainingProgress {

  private static final Logger log = LoggerFactory.getLogger(LoggingProgress.class);

  /** Nanoseconds between two lines on a fit. */
  private static final long FIT_INTERVAL = 10_000_000_000L;

  private long lastFit = System.nanoTime();

  /** Progress as lines of the log. */
  public LoggingProgress() {}

  @Override
  public void planned(List<String> phases) {
    Objects.requireNonNull(phases, "phases").forEach(log::info);
  }

  @Override
  public void featuresDone(int done, int total) {
    if (done == total) {
      log.info("Features of {} images are ready", total);
    }
  }

  @Override
  public void stageStarted(Stage stage, int epochs, int imagesPerEpoch) {
    log.info("Stage {}: at most {} epochs of {} images", stage, epochs, imagesPerEpoch);
  }

  @Override
  public void epochDone(EpochRecord record) {
    Objects.requireNonNull(record, "record");
    log.info(
        "{}",
        String.format(
            Locale.ROOT,
            "%s epoch %d: training loss %.4f, accuracy %.4f; validation loss %.4f, accuracy %.4f;"
                + " %.1f s%s",
            record.stage(),
            record.epoch(),
            record.trainingLoss(),
            record.trainingAccuracy(),
            record.validationLoss(),
            record.validationAccuracy(),
            record.seconds(),
            record.rolledBack() ? "; rolled back" : ""));
  }

  @Override
  public void fitDone(long done, long total) {
    if (System.nanoTime() - lastFit > FIT_INTERVAL) {
      lastFit = System.nanoTime();
      log.info("The classifier is being fitted: {} of {} images are done", done, total);
    }
  }

  @Override
  public void message(String text) {
    log.info("{}", text);
  }
}
