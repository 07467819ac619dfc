/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import io.github.spd4j.encoding.ExpectationMaximization;
import io.github.spd4j.experiments.Progress;
import io.github.spd4j.train.plan.Stage;
import io.github.spd4j.train.progress.EpochRecord;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarConsumer;

/**
 * Shows a training: one live bar for each stage and each set of features on a terminal, plain lines
 * elsewhere.
 *
 * <p>The bar counts images, and shows the time left, the epoch, its loss and its accuracy.
 */
public final class TerminalProgress implements Progress {

  private static final int MIXTURE_STEPS_A_LINE = 10;

  /** A fit that takes less than this, in nanoseconds, is not shown. */
  private static final long SHORT_FIT = 2_000_000_000L;

  private final PrintStream out;
  private final boolean live;
  private final ProgressBarConsumer terminal;
  private final String task;

  private ProgressBar bar;
  private String stage = "";
  private int epochs;
  private int imagesPerEpoch;
  private int epochsDone;
  private boolean featuresShown;
  private boolean mixtureShown;
  private boolean fitShown;
  private long fitStart;
  private long fitDone = Long.MAX_VALUE;

  /**
   * Progress of one task on standard output, live if that is a terminal.
   *
   * @param task what is trained, in a word or two
   */
  public TerminalProgress(String task) {
    this(task, System.out, isTerminal());
  }

  /**
   * Whether someone looks on.
   *
   * @return true if standard output is a terminal
   */
  public static boolean isTerminal() {
    return System.console() != null && System.getenv("CI") == null;
  }

  /**
   * Progress of one task.
   *
   * @param task what is trained, in a word or two
   * @param out where to show it
   * @param live whether that is a terminal
   */
  public TerminalProgress(String task, PrintStream out, boolean live) {
    this(task, out, live, null);
  }

  /** With what shows the bars, or null for the terminal. */
  TerminalProgress(String task, PrintStream out, boolean live, ProgressBarConsumer terminal) {
    this.task = task;
    this.out = out;
    this.live = live;
    this.terminal = terminal;
  }

  @Override
  public void featuresDone(int done, int total) {
    if (live && done < total && !featuresShown) {
      close();
      bar = opened(newBar(", features", total, "images", true));
      featuresShown = true;
    }
    if (featuresShown) {
      bar.stepTo(done);
    }
    if (featuresShown && done == total) {
      close();
    }
  }

  @Override
  public void iterationDone(int iteration, double meanLogLikelihood) {
    String likelihood = format("%.3f log-likelihood", meanLogLikelihood);
    if (live) {
      if (!mixtureShown) {
        close();
        // It may end long before the last step, so that nobody knows when.
        bar = opened(newBar(", mixture", ExpectationMaximization.STEPS, "steps", false));
        mixtureShown = true;
      }
      bar.stepTo(iteration);
      bar.setExtraMessage(likelihood);
    } else if (iteration % MIXTURE_STEPS_A_LINE == 0) {
      out.println(format("%s: step %d, %s", task, iteration, likelihood));
    }
  }

  @Override
  public void fitDone(long done, long total) {
    if (done < fitDone) { // another fit
      fitStart = System.nanoTime();
    }
    fitDone = done;
    if (live && !fitShown && done < total && System.nanoTime() - fitStart > SHORT_FIT) {
      close();
      bar = opened(newBar(", classifier", total, "images", true));
      fitShown = true;
    }
    if (fitShown) {
      bar.stepTo(done);
    }
    if (fitShown && done == total) {
      close();
    }
  }

  @Override
  public void stageStarted(Stage stage, int epochs, int imagesPerEpoch) {
    close();
    this.epochs = epochs;
    this.imagesPerEpoch = imagesPerEpoch;
    this.epochsDone = 0;
    this.stage = ", stage " + (stage.ordinal() + 1);
  }

  @Override
  public void stageResumed(int epochsDone) {
    this.epochsDone = epochsDone;
  }

  /** It is as wide as the terminal. */
  private ProgressBarBuilder newBar(String what, long most, String unit, boolean endKnown) {
    ProgressBarBuilder builder =
        new ProgressBarBuilder()
            .setTaskName(task + what)
            .setInitialMax(most)
            .setRenderer(new ProgressLine(unit, endKnown));
    return terminal == null ? builder : builder.setConsumer(terminal);
  }

  private static ProgressBar opened(ProgressBarBuilder builder) {
    ProgressBar opened = builder.build();
    Signals.restore(); // it opens the terminal, and Ctrl-C would end the process without a word
    return opened;
  }

  @Override
  public void batchDone(int images, double loss, double accuracy) {
    long done = (long) epochsDone * imagesPerEpoch + images;
    if (live && bar == null) { // not before: a stage may have nothing to learn
      // What was done before, perhaps before an interruption, says nothing about the time left.
      bar =
          opened(
              newBar(stage, (long) epochs * imagesPerEpoch, "images", true)
                  .startsFrom(done, Duration.ZERO));
    }
    if (bar != null) {
      int epoch = Math.min(epochsDone + 1, epochs);
      bar.stepTo(done);
      bar.setExtraMessage(
          format(
              "epoch %d of %d, loss %.2f, accuracy %.0f %%", epoch, epochs, loss, 100 * accuracy));
    }
  }

  @Override
  public void epochDone(EpochRecord record) {
    epochsDone = Math.min(record.epoch(), epochs); // a resumed stage does not begin with its first
    if (record.rates().isEmpty()) {
      close(); // there is no further epoch
      String when = record.epoch() == 0 ? "before it learns" : "with a fitted classifier";
      out.println(format("%s, %s: %s%.1f s", task, when, validation(record), record.seconds()));
    } else if (bar != null) {
      bar.stepTo((long) epochsDone * imagesPerEpoch);
    } else if (!live) {
      out.println(
          format(
              "%s, stage %d, epoch %d of at most %d: loss %.3f, accuracy %.1f %%, %s%.1f s",
              task,
              record.stage().ordinal() + 1,
              epochsDone,
              epochs,
              record.trainingLoss(),
              100 * record.trainingAccuracy(),
              validation(record),
              record.seconds()));
    }
  }

  private static String validation(EpochRecord record) {
    double accuracy = record.validationAccuracy();
    return Double.isNaN(accuracy) ? "" : format("validation %.1f %%, ", 100 * accuracy);
  }

  @Override
  public void message(String text) {
    if (mixtureShown) {
      close(); // it is done
    } else if (bar != null) {
      end(); // the next batch begins another one where this is
    }
    out.println(task + ": " + text);
  }

  /** Shows the bar as it is, not only at the next tick. */
  void show() {
    bar.refresh();
  }

  private static String format(String pattern, Object... values) {
    return String.format(Locale.ROOT, pattern, values);
  }

  @Override
  public void close() {
    if (bar != null) {
      bar.maxHint(bar.getCurrent()); // a stage may end early
      end();
    }
  }

  private void end() {
    bar.close();
    bar = null;
    featuresShown = false;
    mixtureShown = false;
    fitShown = false;
  }
}
