/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments.spark;

import io.github.spd4j.internal.files.DistributedFiles;
import java.nio.file.Path;
import java.util.Optional;
import org.apache.spark.SparkEnv;
import org.apache.spark.SparkFiles;

/** Where Spark puts the files that it copies to each machine. */
public final class SparkFilesFolder implements DistributedFiles {

  /** For Java's service loader. */
  public SparkFilesFolder() {}

  @Override
  public Optional<Path> folder() {
    return Optional.ofNullable(SparkEnv.get()).map(env -> Path.of(SparkFiles.getRootDirectory()));
  }
}
