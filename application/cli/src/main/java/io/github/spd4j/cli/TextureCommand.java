/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import io.github.spd4j.experiments.Task;
import picocli.CommandLine.Command;

/** {@code spd texture}. */
@Command(
    name = "texture",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    sortOptions = false,
    description = {
      "Runs the paper's experiments on textures.",
      "DATASET is dtd, dtd-official, fmd, kth-tips-2b or kth-tips."
    })
public final class TextureCommand extends ExperimentCommand {

  /** For picocli. */
  public TextureCommand() {
    super(Task.TEXTURE.kinds());
  }

  /**
   * Runs the command and exits: with 0 if it did its work, 2 for a mistake in arguments or data, 1
   * if it failed.
   *
   * @param args data sets with their folders, and options
   */
  public static void main(String[] args) {
    System.exit(Commands.line(new TextureCommand()).execute(args));
  }
}
