/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import io.github.spd4j.benchmarks.BenchCommand;
import io.github.spd4j.examples.cli.Commands;
import io.github.spd4j.examples.finegrained.FineGrainedCommand;
import io.github.spd4j.examples.paper.PaperCommand;
import io.github.spd4j.examples.predict.PredictCommand;
import io.github.spd4j.examples.quickstart.QuickstartCommand;
import io.github.spd4j.examples.tables.TableCommand;
import io.github.spd4j.examples.texture.TextureCommand;
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
    subcommands = {
      QuickstartCommand.class,
      TextureCommand.class,
      FineGrainedCommand.class,
      PaperCommand.class,
      TableCommand.class,
      PredictCommand.class,
      BenchCommand.class
    },
    footer = "%nEvery command has --help.")
public final class Spd implements Runnable {

  @Spec private CommandSpec spec;

  /** For picocli. */
  public Spd() {}

  /**
   * Runs a command and exits with its code: 0 if it did its work, 2 for a mistake in the arguments
   * or the data, 1 if it failed.
   *
   * @param args the command and its options
   */
  public static void main(String[] args) {
    System.exit(commandLine().execute(args));
  }

  static CommandLine commandLine() {
    return Commands.line(new Spd());
  }

  @Override
  public void run() {
    CommandLine command = spec.commandLine();
    command.usage(command.getOut());
  }
}
