/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments.spark;

import io.github.spd4j.experiments.ClusterOptions;
import io.github.spd4j.experiments.Machines;
import io.github.spd4j.spark.SparkCluster;
import io.github.spd4j.spark.SparkEngine;
import java.nio.file.Path;

/** Connects the commands to Spark. */
public final class SparkMachinesProvider implements Machines.Provider {

  /** For Java's service loader. */
  public SparkMachinesProvider() {}

  @Override
  public Machines connect(ClusterOptions options, Path out) {
    SparkCluster cluster = SparkCluster.connect(options.master, "spd");
    String folder =
        options.folder == null
            ? out.toAbsolutePath().normalize().resolve("parts").toUri().toString()
            : options.folder;
    int workers = options.workers == 0 ? cluster.workers() : options.workers;
    SparkEngine engine =
        new SparkEngine(cluster.context(), folder, workers).averagingEvery(options.averageEvery);
    return new SparkMachines(cluster, engine);
  }
}
