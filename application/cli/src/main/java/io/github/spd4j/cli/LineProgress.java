/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import io.github.spd4j.experiments.Pace;
import io.github.spd4j.experiments.Progress;
import io.github.spd4j.train.plan.Stage;
import io.github.spd4j.train.progress.EpochRecord;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/** Shows a training as plain lines. */
class LineProgress implements Progress {

  private static final int MIXTURE_STEPS_A_LINE = 10;

  private final PrintStream out;
  private final String task;
  private final Pace features;
  private final Pace fit;
  private final Pace epoch;
  private String stage = "";
  private int epochs;
  private int epochsDone;
  private int imagesPerEpoch;
  private double best = Double.NEGATIVE_INFINITY; // infinite if it cannot be known

  /**
   * Progress of one task.
   *
   * @param task what is trained, in a word or two
   * @param out where to show it
   */
  LineProgress(String task, PrintStream out) {
    this(task, out, () -> new Pace("images"));
  }

  LineProgress(String task, PrintStream out, Supplier<Pace> pace) {
    this.task = task;
    this.out = out;
    this.features = pace.get();
    this.fit = pace.get();
    this.epoch = pace.get();
  }

  final void line(String pattern, Object... values) {
    out.println(Terminal.shown(task + format(pattern, values)));
  }

  static String format(String pattern, Object... values) {
    return String.format(Locale.ROOT, pattern, values);
  }

  @Override
  public void featuresDone(int done, int total) {
    features.step(done, total).ifPresent(far -> line(", features: %s", far));
  }

  @Override
  public void fitDone(long done, long total) {
    fit.step(done, total).ifPresent(far -> line(", classifier: %s", far));
  }

  @Override
  public void batchDone(int images, double loss, double accuracy) {
    epoch
        .step(images, imagesPerEpoch)
        .ifPresent(far -> line(", %s, epoch %d: %s", stage, epochsDone + 1, far));
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
    this.stage = "stage " + (stage.ordinal() + 1);
    this.epochs = epochs;
    this.epochsDone = 0;
    this.imagesPerEpoch = imagesPerEpoch;
  }

  /** What the epochs before an interruption came to is not told again. */
  @Override
  public void stageResumed(int epochsDone) {
    this.epochsDone = epochsDone;
    best = Double.POSITIVE_INFINITY;
  }

  @Override
  public void epochDone(EpochRecord record) {
    epochsDone = record.epoch();
    if (record.rates().isEmpty()) {
      fitted(record);
    } else {
      line(
          ", %s, epoch %d of at most %d: loss %.3f, accuracy %.1f %%, %s%.1f s",
          stage,
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
