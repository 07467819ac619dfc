/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments.spark;

import io.github.spd4j.experiments.ClusterSettings;
import io.github.spd4j.experiments.Platform;
import io.github.spd4j.spark.SparkCluster;
import io.github.spd4j.spark.SparkEngine;
import java.nio.file.Path;

/** Connects the commands to Spark. */
public final class SparkPlatformProvider implements Platform.Provider {

  /** For Java's service loader. */
  public SparkPlatformProvider() {}

  @Override
  public Platform connect(ClusterSettings settings, Path out) {
    SparkCluster cluster = SparkCluster.connect(settings.master, "spd");
    String folder =
        settings.folder == null
            ? out.toAbsolutePath().normalize().resolve("parts").toUri().toString()
            : settings.folder;
    int workers = settings.workers == 0 ? cluster.workers() : settings.workers;
    SparkEngine engine =
        new SparkEngine(cluster.context(), folder, workers).averagingEvery(settings.averageEvery);
    return new SparkPlatform(cluster, engine);
  }
}
