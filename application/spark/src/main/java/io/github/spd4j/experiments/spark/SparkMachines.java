/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments.spark;

import io.github.spd4j.datasets.ImageCheck;
import io.github.spd4j.datasets.ImageDataSet;
import io.github.spd4j.datasets.ImageFile;
import io.github.spd4j.datasets.Problem;
import io.github.spd4j.experiments.Machines;
import io.github.spd4j.experiments.Mistake;
import io.github.spd4j.spark.BroadcastObject;
import io.github.spd4j.spark.SparkCluster;
import io.github.spd4j.spark.SparkEngine;
import io.github.spd4j.train.TwoStageTrainer;
import io.github.spd4j.train.features.FeatureCache;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The executors of a Spark cluster, and this machine as their driver. */
final class SparkMachines implements Machines {

  private static final int SLICES_PER_WORKER = 4;

  private final SparkCluster cluster;
  private final SparkEngine engine;

  SparkMachines(SparkCluster cluster, SparkEngine engine) {
    this.cluster = cluster;
    this.engine = engine;
  }

  /** With a scheme it is Hadoop's path, without one a folder that all machines have. */
  @Override
  public Path path(String place) {
    if (!place.matches("[a-z][a-z0-9+.-]*:/.*")) {
      return Machines.super.path(place);
    }
    try {
      Path path = HadoopFileSystemProvider.path(place);
      path.getFileSystem().provider().checkAccess(path);
      return path;
    } catch (IOException | IllegalArgumentException e) {
      throw new Mistake(place + ": cannot be read by Hadoop: " + e.getMessage(), e);
    }
  }

  @Override
  public ImageCheck check(ImageDataSet set) {
    List<Integer> numbers =
        IntStream.range(0, set.images().size()).boxed().collect(Collectors.toList());
    BroadcastObject<List<ImageFile>> files =
        BroadcastObject.of(cluster.context(), new ArrayList<>(set.images()));
    try {
      List<String> reasons =
          cluster
              .context()
              .parallelize(numbers, SLICES_PER_WORKER * cluster.workers())
              .map(i -> ImageCheck.check(files.get().get(i)).map(Problem::reason).orElse(""))
              .collect();
      return new ImageCheck(set, problems(set, reasons));
    } finally {
      files.discard();
    }
  }

  private static List<Optional<Problem>> problems(ImageDataSet set, List<String> reasons) {
    List<Optional<Problem>> problems = new ArrayList<>();
    for (int i = 0; i < reasons.size(); i++) {
      String reason = reasons.get(i);
      problems.add(
          reason.isEmpty()
              ? Optional.empty()
              : Optional.of(new Problem(set.images().get(i).name(), reason)));
    }
    return problems;
  }

  @Override
  public FeatureCache cache(Path folder) {
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
