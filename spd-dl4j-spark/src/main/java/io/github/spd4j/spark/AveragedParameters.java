/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.spark;

import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.spark.impl.graph.SparkComputationGraph;
import org.nd4j.linalg.dataset.api.MultiDataSet;

/** Every worker makes steps of its own; then parameters and the states of updaters are averaged. */
final class AveragedParameters implements DistributedSteps {

  private final StiefelTrainingMaster master;
  private final SparkComputationGraph graph;
  private final int batchSize;

  AveragedParameters(
      JavaSparkContext spark,
      ComputationGraph net,
      LossAndAccuracyHook hook,
      int workers,
      int batchSize,
      int frequency) {
    int share = ceiling(batchSize, workers);
    this.master = new StiefelTrainingMaster(workers, share, frequency, hook);
    this.graph = new SparkComputationGraph(spark, net, master);
    this.batchSize = batchSize;
  }

  private static int ceiling(int number, int divisor) {
    return (number + divisor - 1) / divisor;
  }

  @Override
  public void run(JavaRDD<MultiDataSet> batches, int images) {
    master.round(graph, batches, ceiling(images, batchSize));
  }

  @Override
  public void close() {}
}
