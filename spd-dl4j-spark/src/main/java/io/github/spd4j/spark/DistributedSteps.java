/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.spark;

import org.apache.spark.api.java.JavaRDD;
import org.nd4j.linalg.dataset.api.MultiDataSet;

/** How a network is trained on batches that are divided among workers, round by round. */
interface DistributedSteps extends AutoCloseable {

  /**
   * Makes the steps of one round.
   *
   * @param batches a partition for each worker, with its shares of the batches of the round
   * @param images how many images all of them have
   */
  void run(JavaRDD<MultiDataSet> batches, int images);

  /** Frees the memory of executors, if any is used. */
  @Override
  default void close() {}
}
