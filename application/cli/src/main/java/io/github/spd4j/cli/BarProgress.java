/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import io.github.spd4j.encoding.ExpectationMaximization;
import io.github.spd4j.train.plan.Stage;
import io.github.spd4j.train.progress.EpochRecord;
import java.io.PrintStream;
import java.time.Duration;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarConsumer;

/**
 * Shows a training on a terminal: one live bar at a time, for features, a mixture, the fit of a
 * classifier, or the epochs of a stage; and lines for what is done.
 *
 * <p>The bar counts images, and shows the time left, the epoch and its accuracy, beside that on
 * validation images after the epoch before it, and the best of these; without such images its loss.
 */
final class BarProgress extends LineProgress {

  /** A fit that takes less than this, in nanoseconds, is not shown. */
  private static final long SHORT_FIT = 2_000_000_000L;

  /** What a bar counts. */
  private enum BarKind {
    FEATURES,
    MIXTURE,
    FIT,
    EPOCHS
  }

  /** A bar on the screen. */
  private record Bar(BarKind kind, ProgressBar shown) {}

  /** The stage that learns. */
  private record Epochs(String title, int most, int images) {

    long done(int epochs) {
      return (long) epochs * images;
    }
  }

  /** A fit that goes on: when it began, and how far it is. */
  private record Fit(long start, long done) {}

  private final String task;
  private final ProgressBarConsumer terminal;
  private Bar bar; // null if there is none
  private Epochs epochs = new Epochs("", 0, 0);
  private int epochsDone;
  private String validation = "";
  private Fit fit = new Fit(0, Long.MAX_VALUE);

  /**
   * Progress of one task.
   *
   * @param task what is trained, in a word or two
   * @param out where lines go
   * @param terminal what shows the bars, or null for the terminal
   */
  BarProgress(String task, PrintStream out, ProgressBarConsumer terminal) {
    super(task, out);
    this.task = task;
    this.terminal = terminal;
  }

  private boolean shows(BarKind kind) {
    return bar != null && bar.kind == kind;
  }

  /** Shows a new bar in place of another one. It is as wide as the terminal. */
  private void open(BarKind kind, String what, long most, ProgressLine line, long done) {
    close();
    ProgressBarBuilder builder =
        new ProgressBarBuilder().setTaskName(task + what).setInitialMax(most).setRenderer(line);
    if (terminal != null) {
      builder.setConsumer(terminal);
    }
    if (done > 0) {
      // What was done before, perhaps before an interruption, says nothing about the time left.
      builder.startsFrom(done, Duration.ZERO);
    }
    bar = new Bar(kind, builder.build());
    Signals.restore(); // it opens the terminal, and Ctrl-C would end the process without a word
  }

  @Override
  public void featuresDone(int done, int total) {
    if (!shows(BarKind.FEATURES) && done < total) {
      open(BarKind.FEATURES, ", features", total, new ProgressLine("images", true), 0);
    }
    step(BarKind.FEATURES, done, total);
  }

  /** The bar of something that ends when all of it is done. */
  private void step(BarKind kind, long done, long total) {
    if (shows(kind)) {
      bar.shown.stepTo(done);
      if (done == total) {
        close();
      }
    }
  }

  @Override
  public void iterationDone(int iteration, double meanLogLikelihood) {
    if (!shows(BarKind.MIXTURE)) {
      // It may end long before the last step, so that nobody knows when.
      ProgressLine line = new ProgressLine("steps", false);
      open(BarKind.MIXTURE, ", mixture", ExpectationMaximization.STEPS, line, 0);
    }
    bar.shown.stepTo(iteration);
    bar.shown.setExtraMessage(likelihood(meanLogLikelihood));
  }

  @Override
  public void fitDone(long done, long total) {
    boolean another = done < fit.done;
    fit = new Fit(another ? System.nanoTime() : fit.start, done);
    boolean takesLong = System.nanoTime() - fit.start > SHORT_FIT;
    if (!shows(BarKind.FIT) && done < total && takesLong) {
      open(BarKind.FIT, ", classifier", total, new ProgressLine("images", true), 0);
    }
    step(BarKind.FIT, done, total);
  }

  @Override
  public void stageStarted(Stage stage, int most, int imagesPerEpoch) {
    close();
    super.stageStarted(stage, most, imagesPerEpoch);
    epochs = new Epochs(", stage " + (stage.ordinal() + 1), most, imagesPerEpoch);
    epochsDone = 0;
  }

  @Override
  public void stageResumed(int done) {
    super.stageResumed(done);
    epochsDone = done;
  }

  /** The first batch opens the bar: a stage may have nothing to learn. */
  @Override
  public void batchDone(int images, double loss, double accuracy) {
    long done = epochs.done(epochsDone) + images;
    if (!shows(BarKind.EPOCHS)) {
      ProgressLine line = new ProgressLine("images", true);
      open(BarKind.EPOCHS, epochs.title, epochs.done(epochs.most), line, done);
    }
    int epoch = Math.min(epochsDone + 1, epochs.most);
    bar.shown.stepTo(done);
    String figures =
        validation.isEmpty()
            ? format("loss %.2f, accuracy %.0f %%", loss, 100 * accuracy)
            : format("training %.0f %%, %s", 100 * accuracy, validation);
    bar.shown.setExtraMessage(format("epoch %d of %d, %s", epoch, epochs.most, figures));
  }

  @Override
  public void epochDone(EpochRecord record) {
    epochsDone = Math.min(record.epoch(), epochs.most); // a resumed stage begins later
    if (record.rates().isEmpty()) {
      close(); // there is no further epoch
      fitted(record);
      return;
    }
    validation = validation(record, 0);
    if (bar != null) {
      bar.shown.stepTo(epochs.done(epochsDone));
    }
  }

  /** What is done is shown so; what goes on has another bar where this one is. */
  @Override
  public void message(String text) {
    if (shows(BarKind.MIXTURE)) {
      close();
    } else {
      end();
    }
    super.message(text);
  }

  /** Shows the bar as it is, not only at the next tick. */
  void show() {
    bar.shown.refresh();
  }

  @Override
  public void close() {
    if (bar != null) {
      bar.shown.maxHint(bar.shown.getCurrent()); // a stage may end early
      end();
    }
  }

  private void end() {
    if (bar != null) {
      bar.shown.close();
      bar = null;
    }
  }
}
