/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import io.github.spd4j.examples.quickstart.QuickstartCommand;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code spd}: without arguments it lists the commands. */
@Command(
    name = "spd",
    mixinStandardHelpOptions = true,
    version = "spd-dl4j-layers 0.1.0-SNAPSHOT",
    description = "Layers for Deeplearning4j on symmetric positive definite matrices.",
    subcommands = {QuickstartCommand.class},
    footer = "%nEvery command has --help.")
public final class Spd implements Runnable {

  @Spec private CommandSpec spec;

  /** The exit code of a mistake in the arguments or in the data. */
  public static final int USER_ERROR = 2;

  /** The exit code of a failure of the program. */
  public static final int FAILURE = 1;

  /** For picocli. */
  public Spd() {}

  /**
   * Runs a command and exits with its code: 0 if it did its work, 2 for a mistake in the arguments,
   * 1 if it failed.
   *
   * @param args the command and its options
   */
  public static void main(String[] args) {
    System.exit(commandLine().execute(args));
  }

  static CommandLine commandLine() {
    return new CommandLine(new Spd())
        .setParameterExceptionHandler(Spd::mistake)
        .setExecutionExceptionHandler(Spd::failure);
  }

  private static int mistake(ParameterException mistake, String[] args) {
    CommandLine command = mistake.getCommandLine();
    PrintWriter err = command.getErr();
    err.println(mistake.getMessage());
    err.println("See " + command.getCommandSpec().qualifiedName() + " --help.");
    err.flush();
    return USER_ERROR;
  }

  private static int failure(
      Exception failure, CommandLine command, CommandLine.ParseResult parsed) {
    command.getErr().println(command.getCommandSpec().qualifiedName() + " failed: " + failure);
    command.getErr().flush();
    if (System.getenv("SPD_DEBUG") != null) {
      failure.printStackTrace(command.getErr());
    }
    return FAILURE;
  }

  @Override
  public void run() {
    CommandLine command = spec.commandLine();
    command.usage(command.getOut());
  }
}
