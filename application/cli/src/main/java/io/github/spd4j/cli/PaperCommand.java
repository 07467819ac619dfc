/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.cli;

import io.github.spd4j.datasets.DataSetKind;
import java.util.EnumSet;
import picocli.CommandLine.Command;

/** {@code spd paper}. */
@Command(
    name = "paper",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    sortOptions = false,
    description = {
      "Runs the paper's experiments on data sets of both kinds.",
      "Each goes by its own protocol: textures or fine-grained classes.",
      "DATASET is dtd, dtd-official, fmd, kth-tips-2b, kth-tips, cub,",
      "aircraft, or folders (one for each class)."
    })
public final class PaperCommand extends ExperimentCommand {

  /** For picocli. */
  public PaperCommand() {
    super(EnumSet.allOf(DataSetKind.class));
  }
}
