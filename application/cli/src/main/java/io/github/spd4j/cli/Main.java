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
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** {@code spd}: without arguments it lists the commands. */
@Command(
    name = "spd",
    mixinStandardHelpOptions = true,
    version = "spd-dl4j-layers 0.1.0-SNAPSHOT",
    description = "Layers for Deeplearning4j on symmetric positive definite matrices.",
    footer = "%nEvery command has --help.")
public final class Main implements Runnable {

  /** What the GPU's backend comes with. */
  private static final String GPU = "/io/github/spd4j/internal/cuda/CudaAlgebra.class";

  private static boolean hasMkl;

  @Spec private CommandSpec spec;

  /** For picocli. */
  public Main() {}

  /** What {@code ./spd} puts on the class path; here it only has to be there. */
  @Option(
      names = "--gpu",
      scope = ScopeType.INHERIT,
      description =
          "Compute on this machine's NVIDIA card. The first time ./spd builds itself for it.")
  private void gpu(boolean isAsked) {
    if (isAsked && Main.class.getResource(GPU) == null) {
      throw mistake("--gpu is an option of ./spd, which builds itself for the card; leave it out");
    }
  }

  /** The same. */
  @Option(
      names = "--blas",
      scope = ScopeType.INHERIT,
      paramLabel = "NAME",
      description =
          "What multiplies matrices on the CPU: openblas, which is the default, or mkl, Intel's, on"
              + " Linux on x86. The first time ./spd downloads it (150 MB).")
  private void blas(String name) {
    if (name != null && !name.equals("openblas") && !(name.equals("mkl") && hasMkl)) {
      throw mistake(
          name.equals("mkl")
              ? "--blas mkl: MKL is for ./spd on Linux on x86; leave it out"
              : "--blas: expected openblas or mkl, got " + name);
    }
  }

  private ParameterException mistake(String line) {
    return new ParameterException(spec.commandLine(), line);
  }

  /**
   * Runs a command and exits with its code: 0 if it did its work, 2 for what the user can put
   * right, 1 for a mistake in this program. A signal ends it within 5 seconds.
   *
   * @param args the command and its options
   */
  public static void main(String[] args) {
    Interruption.install();
    hasMkl = Mkl.load();
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
                new CompareCommand(),
                new TableCommand(),
                new RunsCommand()));
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
