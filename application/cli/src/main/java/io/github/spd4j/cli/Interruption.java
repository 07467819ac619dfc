/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import static java.util.stream.Collectors.joining;

import io.github.spd4j.dl4j.NativeDestructors;
import io.github.spd4j.reports.Printable;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Ctrl-C and other signals that end a command: it says how to go on, and leaves.
 *
 * <p>What native code is doing is abandoned: whatever a run keeps is written as a whole, so it goes
 * on after its last checkpoint. Shutdown hooks have {@value #LIMIT_MILLIS} ms; then, or on a second
 * signal, the process ends without them.
 */
final class Interruption {

  /** Users may count on leaving within 5 s. */
  static final long LIMIT_MILLIS = 4000;

  /** The exit code of a process that was ended by a signal is larger than its number by this. */
  private static final int SIGNALLED = 128;

  private static final Map<String, Integer> SIGNALS = Map.of("INT", 2, "TERM", 15, "HUP", 1);

  private static final AtomicBoolean LEAVING = new AtomicBoolean();

  /** Says what is kept of what is done, if anything is. */
  private static volatile Runnable last = () -> {};

  private Interruption() {}

  /** From now on the process leaves on signals, and whenever it ends, whatever it computes. */
  static void install() {
    install(LIMIT_MILLIS);
  }

  /** The same, with so much time for shutdown hooks. */
  static void install(long limitMillis) {
    NativeDestructors.skipAtExit();
    SIGNALS.forEach(
        (name, number) -> Signals.handle(name, () -> leave(SIGNALLED + number, limitMillis)));
  }

  private static void leave(int exitCode, long limitMillis) {
    if (!LEAVING.compareAndSet(false, true)) {
      NativeDestructors.halt(exitCode);
    }
    Thread limit = new Thread(() -> haltLater(exitCode, limitMillis), "ends the process");
    limit.setDaemon(true);
    limit.start();
    last.run();
    System.exit(exitCode);
  }

  private static void haltLater(int exitCode, long limitMillis) {
    try {
      Thread.sleep(limitMillis);
    } catch (InterruptedException e) {
      // Nobody has this thread; were it so, there would be no reason to wait.
    }
    NativeDestructors.halt(exitCode);
  }

  /**
   * Does something that can be interrupted and resumed.
   *
   * @param spec the command
   * @param action what it does
   */
  static <T> T during(CommandSpec spec, Supplier<T> action) {
    last =
        () ->
            print(
                spec,
                "\nInterrupted. What is done is kept; run again to resume:",
                "  " + command(spec.commandLine()));
    try {
      return action.get();
    } finally {
      last = () -> {};
    }
  }

  /** From now on the answers so far lie in these files, if there are any. */
  static void keep(CommandSpec spec, List<Path> files) {
    String line =
        "\nInterrupted. The answers so far are in "
            + files.stream().map(Path::toString).map(Printable::of).collect(joining(" and "));
    last = files.isEmpty() ? () -> {} : () -> print(spec, line);
  }

  private static void print(CommandSpec spec, String... lines) {
    PrintWriter err = spec.commandLine().getErr();
    Stream.of(lines).forEach(err::println);
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
    return words.stream().map(Interruption::quoted).collect(joining(" "));
  }

  private static String quoted(String word) {
    if (!Printable.of(word).equals(word)) { // shells read what is written out there
      return "$'" + Printable.of(word.replace("\\", "\\\\").replace("'", "\\'")) + "'";
    }
    return word.matches("[\\w@%+=:,./~-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
  }
}
