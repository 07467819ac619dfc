/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import io.github.spd4j.experiments.Pace;
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
  private static final int SHORTEST_TASK = 8;

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
            + Pace.left(done, state.getMax() - state.getCurrent(), state.getElapsedAfterStart())
            + " left, "
            + text
        : " " + text;
  }

  /** A task and its step, which stays; of the task both ends, since runs differ there. */
  private static String shortened(String name, int length) {
    if (name.length() <= length || length == 0) {
      return name.substring(0, Math.min(length, name.length()));
    }
    int comma = name.lastIndexOf(", ");
    String step = comma < 0 ? "" : name.substring(comma);
    int room = length - step.length();
    if (comma >= 0 && room >= SHORTEST_TASK) {
      return ends(name.substring(0, comma), room) + step;
    }
    return comma >= 0 && step.length() - 2 <= length ? step.substring(2) : ends(name, length);
  }

  private static String ends(String name, int length) {
    int first = (length - 1) / 2;
    return name.substring(0, first) + "…" + name.substring(name.length() - (length - 1 - first));
  }

  private static String bar(double share, int length) {
    int full = (int) Math.round(share * length);
    return length < SHORTEST_BAR ? "" : "█".repeat(full) + "░".repeat(length - full);
  }
}
