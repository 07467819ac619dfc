/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import java.nio.file.Path;
import java.util.ServiceLoader;

/** On which machines an experiment runs. */
public final class ClusterSettings {

  /** The master of a Spark cluster, or null for this machine alone. */
  public String master;

  /** Where parts of features go, or null for a folder below that of the runs. */
  public String folder;

  /** How many workers learn at once, or 0 for one on each core of the executors. */
  public int workers;

  /** Batches between averagings, or 1 for gradients that are added up. */
  public int averageEvery = 1;

  /** This machine alone. */
  public ClusterSettings() {}

  /** Connects to what was chosen. */
  Platform connect(Path out) {
    if (master == null) {
      return Platform.local();
    }
    return ServiceLoader.load(Platform.Provider.class)
        .findFirst()
        .orElseThrow(
            () ->
                new UserException(
                    "--spark needs the module spd-application-spark on the class path, got none;"
                        + " ./spd puts it there"))
        .connect(this, out);
  }
}
