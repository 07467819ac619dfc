/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import java.io.PrintWriter;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** Says on Ctrl-C how a command goes on where it was. */
final class Interruption {

  private Interruption() {}

  /**
   * Does something that can be interrupted and resumed.
   *
   * @param spec the command
   * @param action what it does
   */
  static <T> T during(CommandSpec spec, Supplier<T> action) {
    Thread hint = new Thread(() -> print(spec));
    Runtime.getRuntime().addShutdownHook(hint);
    try {
      return action.get();
    } finally {
      remove(hint);
    }
  }

  private static void remove(Thread hint) {
    try {
      Runtime.getRuntime().removeShutdownHook(hint);
    } catch (IllegalStateException e) {
      // The program ends, and the hint is on its way.
    }
  }

  private static void print(CommandSpec spec) {
    PrintWriter err = spec.commandLine().getErr();
    err.println("\nInterrupted. What is done is kept; run again to resume:");
    err.println("  " + command(spec.commandLine()));
    err.flush();
  }

  /** The command as it was typed. */
  static String command(CommandLine command) {
    CommandLine first = command;
    while (first.getParent() != null) {
      first = first.getParent();
    }
    return "./spd " + quoted(first.getParseResult().originalArgs());
  }

  /** Words as a shell takes them. */
  static String quoted(List<String> words) {
    return words.stream()
        .map(
            word ->
                word.matches("[\\w@%+=:,./~-]+") ? word : "'" + word.replace("'", "'\\''") + "'")
        .collect(Collectors.joining(" "));
  }
}
