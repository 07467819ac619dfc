/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.spark;

import io.github.spd4j.parallel.StiefelAveraging;
import java.util.List;
import org.apache.spark.api.java.JavaRDD;
import org.deeplearning4j.spark.api.RDDTrainingApproach;
import org.deeplearning4j.spark.api.Repartition;
import org.deeplearning4j.spark.api.TrainingHook;
import org.deeplearning4j.spark.impl.graph.SparkComputationGraph;
import org.deeplearning4j.spark.impl.multilayer.SparkDl4jMultiLayer;
import org.deeplearning4j.spark.impl.paramavg.ParameterAveragingTrainingMaster;
import org.deeplearning4j.spark.impl.paramavg.ParameterAveragingTrainingResult;
import org.nd4j.linalg.dataset.api.MultiDataSet;

/**
 * DL4J's parameter averaging, with every W back on the Stiefel manifold and its momentum tangent
 * after each averaging, before anything is broadcast, saved or evaluated; see {@link
 * StiefelAveraging}.
 */
public final class StiefelTrainingMaster extends ParameterAveragingTrainingMaster {

  /**
   * A training master.
   *
   * @param workers how many workers are averaged
   * @param batchSize images of one step of one worker
   * @param frequency steps of a worker between averagings
   * @param hook is called before and after each step, on the executors
   */
  public StiefelTrainingMaster(int workers, int batchSize, int frequency, TrainingHook hook) {
    super(
        new Builder(workers, batchSize)
            .batchSizePerWorker(batchSize)
            .averagingFrequency(frequency)
            .workerPrefetchNumBatches(0)
            .repartionData(Repartition.Never)
            .rddTrainingApproach(RDDTrainingApproach.Direct)
            .saveUpdater(true)
            .trainingHooks(List.of(hook)));
  }

  /**
   * One round: the workers go on from the present parameters, and are averaged.
   *
   * @param net the network, which is changed
   * @param batches a partition for each worker, with as many batches as are between averagings
   */
  void round(SparkComputationGraph net, JavaRDD<MultiDataSet> batches) {
    doIteration(net, batches, 1, 1);
  }

  @Override
  protected void processResults(
      SparkDl4jMultiLayer network,
      SparkComputationGraph graph,
      JavaRDD<ParameterAveragingTrainingResult> results,
      int splitNum,
      int totalSplits) {
    super.processResults(network, graph, results, splitNum, totalSplits);
    if (graph != null) {
      StiefelAveraging.restore(graph.getNetwork());
    } else {
      StiefelAveraging.restore(network.getNetwork());
    }
  }
}
