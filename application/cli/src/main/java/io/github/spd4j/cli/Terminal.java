/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import io.github.spd4j.experiments.ExperimentSettings;
import io.github.spd4j.experiments.Progress;
import io.github.spd4j.reports.Printable;
import java.io.PrintWriter;
import java.util.Optional;

/** Standard output: a terminal that someone reads, or a file. */
public final class Terminal {

  private static final int WIDTH = 80;

  private Terminal() {}

  /**
   * Whether someone reads it.
   *
   * @return true if standard output is a terminal
   */
  public static boolean isThere() {
    return System.console() != null && System.getenv("CI") == null;
  }

  /** Says at the end, too, that it was another backbone than the one that is preferred. */
  static Optional<String> substitute(ExperimentSettings settings) {
    return Optional.ofNullable(settings.substitute).map(why -> "Note: " + why + ".");
  }

  /**
   * Text for people: on a terminal in lines of at most 80 characters that end between words.
   *
   * @param text one line
   * @return the lines
   */
  static String shown(String text) {
    return isThere() ? String.join("\n", Words.lines(text, WIDTH, "  ")) : text;
  }

  /**
   * Says a line to people.
   *
   * @param writer where to
   * @param line what is said; names in it may have characters that are not {@link Printable}
   */
  static void say(PrintWriter writer, String line) {
    writer.println(shown(Printable.of(line)));
    writer.flush();
  }

  /**
   * Progress of one task on standard output: live bars on a terminal, plain lines elsewhere.
   *
   * @param task what is trained, in a word or two
   * @return to be closed
   */
  public static Progress progress(String task) {
    return isThere() ? new BarProgress(task, System.out, null) : new LineProgress(task, System.out);
  }
}
