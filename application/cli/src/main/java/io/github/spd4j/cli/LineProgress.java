/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import io.github.spd4j.experiments.Progress;
import io.github.spd4j.train.plan.Stage;
import io.github.spd4j.train.progress.EpochRecord;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** Shows a training as plain lines. */
class LineProgress implements Progress {

  private static final int MIXTURE_STEPS_A_LINE = 10;

  /** In nanoseconds. */
  private static final long BETWEEN_LINES = Long.getLong("spd4j.lines.millis", 30_000) * 1_000_000;

  private final PrintStream out;
  private final String task;
  private int epochs;
  private int featuresDone;
  private int featuresBegun;
  private long featuresStart;
  private long featuresShown;
  private double best = Double.NEGATIVE_INFINITY; // infinite if it cannot be known

  /**
   * Progress of one task.
   *
   * @param task what is trained, in a word or two
   * @param out where to show it
   */
  LineProgress(String task, PrintStream out) {
    this.task = task;
    this.out = out;
  }

  final void line(String pattern, Object... values) {
    out.println(Terminal.shown(task + format(pattern, values)));
  }

  static String format(String pattern, Object... values) {
    return String.format(Locale.ROOT, pattern, values);
  }

  /** Features are not counted by epochs: a line every half minute says that they go on. */
  @Override
  public void featuresDone(int done, int total) {
    long now = System.nanoTime();
    if (done < featuresDone || featuresDone == 0) {
      featuresStart = now;
      featuresShown = now;
      featuresBegun = done;
    }
    featuresDone = done;
    if (now - featuresShown > BETWEEN_LINES && done < total) {
      featuresShown = now;
      Duration elapsed = Duration.ofNanos(now - featuresStart);
      String left = ProgressLine.left(Math.max(1, done - featuresBegun), total - done, elapsed);
      line(", features: %d of %d images, %s left", done, total, left);
    }
  }

  @Override
  public void planned(List<String> phases) {
    phases.forEach(this::message);
  }

  @Override
  public void iterationDone(int iteration, double meanLogLikelihood) {
    if (iteration % MIXTURE_STEPS_A_LINE == 0) {
      line(": step %d, %s", iteration, likelihood(meanLogLikelihood));
    }
  }

  static String likelihood(double mean) {
    return format("%.3f log-likelihood", mean);
  }

  @Override
  public void stageStarted(Stage stage, int epochs, int imagesPerEpoch) {
    this.epochs = epochs;
  }

  /** What the epochs before an interruption came to is not told again. */
  @Override
  public void stageResumed(int epochsDone) {
    best = Double.POSITIVE_INFINITY;
  }

  @Override
  public void epochDone(EpochRecord record) {
    if (record.rates().isEmpty()) {
      fitted(record);
    } else {
      line(
          ", stage %d, epoch %d of at most %d: loss %.3f, accuracy %.1f %%, %s%.1f s",
          record.stage().ordinal() + 1,
          Math.min(record.epoch(), epochs),
          epochs,
          record.trainingLoss(),
          100 * record.trainingAccuracy(),
          validation(record),
          record.seconds());
    }
  }

  /** The classifier was fitted, and nothing else learnt. */
  final void fitted(EpochRecord record) {
    String when = record.epoch() == 0 ? "before it learns" : "with a fitted classifier";
    line(", %s: %s%.1f s", when, validation(record), record.seconds());
  }

  private String validation(EpochRecord record) {
    String validation = validation(record, 1);
    return validation.isEmpty() ? "" : validation + ", ";
  }

  /**
   * The accuracy on validation images, beside the best so far.
   *
   * @return nothing without such images
   */
  final String validation(EpochRecord record, int digits) {
    double accuracy = record.validationAccuracy();
    if (Double.isNaN(accuracy)) {
      return "";
    }
    boolean isBest = accuracy > best && !record.rolledBack();
    best = isBest ? accuracy : best;
    String percent = "%." + digits + "f %%";
    String mark = isBest ? " (best)" : format(" (best " + percent + ")", 100 * best);
    return format("validation " + percent, 100 * accuracy) + (Double.isFinite(best) ? mark : "");
  }

  @Override
  public void message(String text) {
    line(": %s", text);
  }
}
