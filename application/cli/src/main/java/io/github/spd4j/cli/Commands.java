/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import io.github.spd4j.datasets.DataSetException;
import io.github.spd4j.experiments.UserException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** How commands end: with an exit code and, if something went wrong, a line on standard error. */
public final class Commands {

  /** The exit code of a mistake in the arguments or in the data. */
  public static final int USER_ERROR = 2;

  /** The exit code of a failure of the program. */
  public static final int FAILURE = 1;

  private Commands() {}

  /**
   * A command line that ends as all commands do.
   *
   * @param command an object with picocli's annotations
   * @return the command line
   */
  public static CommandLine line(Object command) {
    return new CommandLine(command)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setParameterExceptionHandler(Commands::mistake)
        .setExecutionExceptionHandler(Commands::failure);
  }

  private static int mistake(ParameterException mistake, String[] args) {
    CommandLine command = mistake.getCommandLine();
    PrintWriter err = command.getErr();
    err.println(mistake.getMessage() + suggestion(mistake));
    err.println("See " + command.getCommandSpec().qualifiedName() + " --help.");
    err.flush();
    return USER_ERROR;
  }

  /** What a wrong command or option may have meant. */
  private static String suggestion(ParameterException mistake) {
    List<String> names =
        mistake instanceof UnmatchedArgumentException unmatched
            ? unmatched.getSuggestions()
            : List.of();
    return names.isEmpty() ? "" : "; did you mean " + names.get(0) + "?";
  }

  private static int failure(Exception failure, CommandLine command, ParseResult parsed) {
    boolean mistake = isMistake(failure);
    PrintWriter err = command.getErr();
    err.println(
        mistake ? line(failure) : command.getCommandSpec().qualifiedName() + " failed: " + failure);
    if (System.getenv("SPD_DEBUG") != null) {
      failure.printStackTrace(err);
    }
    err.flush();
    return mistake ? USER_ERROR : FAILURE;
  }

  private static boolean isMistake(Exception failure) {
    return failure instanceof UserException
        || failure instanceof DataSetException
        || failure instanceof UncheckedIOException;
  }

  /** What went wrong, with the system's reason (such as a full disk) if it is not in it yet. */
  private static String line(Exception failure) {
    String text = String.valueOf(failure.getMessage());
    Throwable cause = failure.getCause();
    if (failure instanceof UncheckedIOException && !text.contains(cause.getMessage() + "")) {
      text += " (" + cause.getMessage() + ")";
    }
    return text.replaceAll("\\s*\\R\\s*", " ");
  }
}
