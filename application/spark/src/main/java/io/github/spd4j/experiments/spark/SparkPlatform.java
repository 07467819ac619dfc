/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments.spark;

import io.github.spd4j.datasets.ImageCheck;
import io.github.spd4j.datasets.ImageDataSet;
import io.github.spd4j.datasets.ImageFile;
import io.github.spd4j.datasets.Problem;
import io.github.spd4j.experiments.Platform;
import io.github.spd4j.experiments.UserException;
import io.github.spd4j.internal.spark.BroadcastObject;
import io.github.spd4j.models.Engine;
import io.github.spd4j.spark.SparkCluster;
import io.github.spd4j.spark.SparkEngine;
import io.github.spd4j.train.TwoStageTrainer;
import io.github.spd4j.train.features.FeatureCache;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.apache.spark.SparkFiles;

/** The executors of a Spark cluster, and this machine as their driver. */
final class SparkPlatform implements Platform {

  private static final int SLICES_PER_WORKER = 4;

  private final SparkCluster cluster;
  private final SparkEngine engine;

  /** The copies of folders that only Hadoop knows, by place. */
  private final Map<String, Path> copies = new HashMap<>();

  SparkPlatform(SparkCluster cluster, SparkEngine engine) {
    this.cluster = cluster;
    this.engine = engine;
  }

  /**
   * Without a scheme, or with {@code file:}, it is a folder that all machines have. Any other path
   * of Hadoop's is copied once to each machine: to this one now, to an executor before its next
   * task.
   */
  @Override
  public Path path(String place) {
    if (!place.matches("[a-z][a-z0-9+.-]*:/.*")) {
      return Platform.super.path(place);
    }
    try {
      org.apache.hadoop.fs.Path source = parse(place);
      return source.toUri().getScheme().equals("file")
          ? localFolder(place, Path.of(source.toUri().getPath()))
          : copies.computeIfAbsent(place, key -> copy(place, source.getName()));
    } catch (IllegalArgumentException e) {
      throw new UserException(place + ": expected a path that Hadoop knows: " + e.getMessage(), e);
    }
  }

  /** With escapes such as %20 decoded; a place that is no URI is taken as it is. */
  private static org.apache.hadoop.fs.Path parse(String place) {
    try {
      return new org.apache.hadoop.fs.Path(new URI(place));
    } catch (URISyntaxException e) {
      return new org.apache.hadoop.fs.Path(place);
    }
  }

  private Path copy(String place, String name) {
    Path copy = Path.of(SparkFiles.get(name));
    if (Files.exists(copy)) {
      throw new UserException(place + ": expected folders of different names for data sets");
    }
    try {
      cluster.context().addFile(place, true);
      return copy;
    } catch (Exception e) { // Scala's methods do not declare what they throw
      throw new UserException(place + ": cannot be read by Hadoop: " + e.getMessage(), e);
    }
  }

  private static Path localFolder(String place, Path folder) {
    if (!Files.isDirectory(folder)) {
      throw new UserException(place + ": expected a folder that all machines have, got none");
    }
    return folder;
  }

  @Override
  public ImageCheck check(ImageDataSet set, IntConsumer progress) {
    BroadcastObject<List<ImageFile>> files =
        BroadcastObject.of(cluster.context(), new ArrayList<>(set.images()));
    List<Integer> numbers = IntStream.range(0, set.images().size()).boxed().toList();
    try {
      List<String> reasons =
          cluster
              .context()
              .parallelize(new ArrayList<>(numbers), SLICES_PER_WORKER * cluster.workers())
              .map(i -> ImageCheck.check(files.get().get(i)).map(Problem::reason).orElse(""))
              .collect();
      return new ImageCheck(set, numbers.stream().map(i -> problem(set, i, reasons)).toList());
    } finally {
      files.discard();
    }
  }

  private static Optional<Problem> problem(ImageDataSet set, int image, List<String> reasons) {
    return Optional.of(reasons.get(image))
        .filter(reason -> !reason.isEmpty())
        .map(reason -> new Problem(set.images().get(image).name(), reason));
  }

  @Override
  public FeatureCache cache(Path folder, Engine onThisMachine) {
    return FeatureCache.inFolder(folder).computedBy(engine);
  }

  @Override
  public void prepare(TwoStageTrainer.Builder trainer) {
    trainer.engine(engine);
  }

  @Override
  public void close() {
    cluster.close();
  }
}
