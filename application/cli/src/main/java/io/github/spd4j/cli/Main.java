/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import io.github.spd4j.acceleration.Mkl;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code spd}: without arguments it lists the commands. */
@Command(
    name = "spd",
    mixinStandardHelpOptions = true,
    version = "spd-dl4j-layers 0.1.0-SNAPSHOT",
    description = "Layers for Deeplearning4j on symmetric positive definite matrices.",
    footer = "%nEvery command has --help.")
public final class Main implements Runnable {

  @Spec private CommandSpec spec;

  /** For picocli. */
  public Main() {}

  /**
   * Runs a command and exits with its code: 0 if it did its work, 2 for what the user can put
   * right, 1 for a mistake in this program. A signal ends it within 5 seconds.
   *
   * @param args the command and its options
   */
  public static void main(String[] args) {
    Interruption.install();
    Mkl.load();
    System.exit(commandLine().execute(args));
  }

  /**
   * All commands, those of other modules on the class path included.
   *
   * @return what parses arguments and runs a command
   */
  public static CommandLine commandLine() {
    List<Object> commands =
        new ArrayList<>(
            List.of(
                new QuickstartCommand(),
                new CheckCommand(),
                new TrainCommand(),
                new PredictCommand(),
                new ExportCommand(),
                ExperimentCommand.texture(),
                ExperimentCommand.fineGrained(),
                ExperimentCommand.paper(),
                new TableCommand()));
    ServiceLoader.load(CommandExtension.class).forEach(commands::add);
    CommandLine spd = Commands.line(new Main());
    commands.forEach(command -> spd.addSubcommand(Commands.line(command)));
    return spd;
  }

  @Override
  public void run() {
    CommandLine command = spec.commandLine();
    command.usage(command.getOut());
  }
}
