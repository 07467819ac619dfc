/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import java.time.Duration;
import java.util.Locale;
import me.tongfei.progressbar.ProgressBarRenderer;
import me.tongfei.progressbar.ProgressState;

/**
 * One line that shows how far a task is: its name, percent, a bar, the time left and a message. On
 * a narrow terminal the bar shrinks first, then the name, which goes if little of it were left;
 * figures are cut last.
 *
 * @param unit what is counted
 * @param endKnown whether it ends at its last step, so that there is a time left
 */
record ProgressLine(String unit, boolean endKnown) implements ProgressBarRenderer {

  private static final int LONGEST_BAR = 30;
  private static final int SHORTEST_BAR = 4;
  private static final int SHORTEST_NAME = 10;

  @Override
  public String render(ProgressState state, int columns) {
    long max = Math.max(1, state.getMax());
    double share = Math.min(1, (double) state.getCurrent() / max);
    String percent = String.format(Locale.ROOT, " %3.0f %% ", 100 * share);
    String figures = figures(state);
    int room = columns - percent.length() - figures.length();
    int wanted = Math.max(SHORTEST_NAME, room - SHORTEST_BAR);
    int name = room < SHORTEST_NAME ? 0 : Math.min(state.getTaskName().length(), wanted);
    int bar = Math.min(LONGEST_BAR, room - name);
    String line = shortened(state.getTaskName(), name) + percent + bar(share, bar) + figures;
    // As long as the terminal is wide, so that nothing is left of what it showed before.
    return line.length() > columns
        ? line.substring(0, columns)
        : line + " ".repeat(columns - line.length());
  }

  private String figures(ProgressState state) {
    String message = state.getExtraMessage();
    String text =
        message.isEmpty()
            ? state.getCurrent() + " of " + state.getMax() + " " + unit
            : message.strip();
    long done = state.getCurrent() - state.getStart();
    boolean hasLeft = endKnown && done > 0 && state.getCurrent() < state.getMax();
    return hasLeft
        ? " "
            + left(done, state.getMax() - state.getCurrent(), state.getElapsedAfterStart())
            + " left, "
            + text
        : " " + text;
  }

  /** The time that what is left takes, if it goes on as what was done since the start. */
  static String left(long done, long left, Duration elapsed) {
    long seconds = Math.round(elapsed.toMillis() / 1e3 * left / done);
    long hours = seconds / 3600;
    return hours > 0
        ? String.format(Locale.ROOT, "%d:%02d:%02d", hours, seconds / 60 % 60, seconds % 60)
        : String.format(Locale.ROOT, "%d:%02d", seconds / 60, seconds % 60);
  }

  /** Both ends of a name, since runs differ there; a task of one word says less than its step. */
  private static String shortened(String name, int length) {
    if (name.length() <= length || length == 0) {
      return name.substring(0, Math.min(length, name.length()));
    }
    String step = name.substring(name.lastIndexOf(", ") + 1).strip();
    if (step.length() <= length && name.length() - step.length() < SHORTEST_NAME + 2) {
      return step;
    }
    int first = (length - 1) / 2;
    return name.substring(0, first) + "…" + name.substring(name.length() - (length - 1 - first));
  }

  private static String bar(double share, int length) {
    int full = (int) Math.round(share * length);
    return length < SHORTEST_BAR ? "" : "█".repeat(full) + "░".repeat(length - full);
  }
}
