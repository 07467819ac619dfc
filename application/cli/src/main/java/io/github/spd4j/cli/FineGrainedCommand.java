/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import io.github.spd4j.experiments.Task;
import picocli.CommandLine.Command;

/** {@code spd fine-grained}. */
@Command(
    name = "fine-grained",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    sortOptions = false,
    description = {
      "Runs the paper's experiments on fine-grained classes.",
      "DATASET is cub, aircraft, or folders (one for each class)."
    })
public final class FineGrainedCommand extends ExperimentCommand {

  /** For picocli. */
  public FineGrainedCommand() {
    super(Task.FINE_GRAINED.kinds());
  }

  /**
   * Runs the command and exits: with 0 if it did its work, 2 for a mistake in arguments or data, 1
   * if it failed.
   *
   * @param args data sets with their folders, and options
   */
  public static void main(String[] args) {
    System.exit(Commands.line(new FineGrainedCommand()).execute(args));
  }
}
