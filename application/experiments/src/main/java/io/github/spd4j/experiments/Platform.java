/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.experiments;

import io.github.spd4j.datasets.ImageCheck;
import io.github.spd4j.datasets.ImageDataSet;
import io.github.spd4j.models.Engine;
import io.github.spd4j.train.TwoStageTrainer;
import io.github.spd4j.train.features.FeatureCache;
import java.nio.file.Path;
import java.util.function.IntConsumer;

/** What an experiment runs on: this machine, unless a cluster overrides what it does elsewhere. */
public interface Platform extends AutoCloseable {

  /**
   * This machine.
   *
   * @return everything is done here
   */
  static Platform local() {
    return new Platform() {};
  }

  /**
   * Where a data set lies.
   *
   * @param place what the user wrote
   * @return a path whose files can be read
   */
  default Path path(String place) {
    return PicturePaths.path(place);
  }

  /**
   * Looks for damaged images.
   *
   * @param set the data set
   * @param progress may be told after each image how many are done, one at a time
   * @return what was found
   */
  default ImageCheck check(ImageDataSet set, IntConsumer progress) {
    return ImageCheck.of(set, progress);
  }

  /**
   * A cache of features.
   *
   * @param folder where it is
   * @param engine what computes features on this machine
   * @return the cache
   */
  default FeatureCache cache(Path folder, Engine engine) {
    return FeatureCache.inFolder(folder).computedBy(engine);
  }

  /**
   * Prepares a trainer.
   *
   * @param trainer the trainer's settings, which may be changed
   */
  default void prepare(TwoStageTrainer.Builder trainer) {}

  @Override
  default void close() {}

  /** Finds a cluster: a service of a module that has the means. */
  interface Provider {

    /**
     * Connects to a cluster.
     *
     * @param settings which, and how it is used
     * @param out where the runs go
     * @return the cluster, to be closed
     */
    Platform connect(ClusterSettings settings, Path out);
  }
}
