/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import java.nio.file.Path;
import java.util.ServiceLoader;
import picocli.CommandLine.Option;

/** On which machines an experiment runs. */
public final class ClusterOptions {

  /** The master of a Spark cluster, or null for this machine alone. */
  @Option(
      names = "--spark",
      paramLabel = "MASTER",
      description = {
        "Train on Apache Spark: spark://HOST:7077, yarn, local[2]",
        "and so on. FOLDER may then be any path that Hadoop knows."
      })
  public String master;

  /** Where parts of features go, or null for a folder below that of the runs. */
  @Option(
      names = "--spark-folder",
      paramLabel = "PATH",
      description = {
        "Where executors put features: a path that Hadoop knows and",
        "all machines reach; a folder below --out unless set."
      })
  public String folder;

  /** How many workers learn at once, or 0 for one on each core of the executors. */
  @Option(
      names = "--spark-workers",
      paramLabel = "N",
      description = "Workers that share a batch; the cores of all executors unless set.")
  public int workers;

  /** Batches between averagings, or 1 for gradients that are added up. */
  @Option(
      names = "--average-every",
      paramLabel = "N",
      description = {
        "Average the workers' parameters every N batches. With 1, as",
        "unless set, the gradients of each batch are added up instead."
      })
  public int averageEvery = 1;

  /** The usual options, for picocli and for tests. */
  public ClusterOptions() {}

  /** Refuses numbers that cannot be. */
  void check() {
    if (workers < 0 || averageEvery < 1) {
      throw new Mistake(
          "--spark-workers needs at least 1 and --average-every at least 1, got "
              + workers
              + " and "
              + averageEvery);
    }
  }

  /** The machines that were chosen. */
  Machines connect(Path out) {
    if (master == null) {
      return Machines.here();
    }
    return ServiceLoader.load(Machines.Provider.class)
        .findFirst()
        .orElseThrow(
            () ->
                new Mistake(
                    "--spark needs the module spd-examples-spark on the class path, got none;"
                        + " ./spd puts it there"))
        .connect(this, out);
  }
}
