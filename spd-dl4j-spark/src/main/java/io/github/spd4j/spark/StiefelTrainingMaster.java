/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.spark;

import io.github.spd4j.parallel.StiefelAveraging;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.broadcast.Broadcast;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.spark.api.RDDTrainingApproach;
import org.deeplearning4j.spark.api.Repartition;
import org.deeplearning4j.spark.api.TrainingHook;
import org.deeplearning4j.spark.api.WorkerConfiguration;
import org.deeplearning4j.spark.api.worker.NetBroadcastTuple;
import org.deeplearning4j.spark.impl.graph.SparkComputationGraph;
import org.deeplearning4j.spark.impl.multilayer.SparkDl4jMultiLayer;
import org.deeplearning4j.spark.impl.paramavg.ParameterAveragingTrainingMaster;
import org.deeplearning4j.spark.impl.paramavg.ParameterAveragingTrainingResult;
import org.deeplearning4j.spark.impl.paramavg.ParameterAveragingTrainingWorker;
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
   * @param batchSize images of one step of one worker, and of one element of the data
   * @param frequency steps of a worker between averagings
   */
  public StiefelTrainingMaster(int workers, int batchSize, int frequency) {
    this(workers, batchSize, frequency, List.of());
  }

  /**
   * A training master that calls a hook.
   *
   * @param workers how many workers are averaged
   * @param batchSize images of one step of one worker, and of one element of the data
   * @param frequency steps of a worker between averagings
   * @param hook is called before and after each step, on the executors
   */
  public StiefelTrainingMaster(int workers, int batchSize, int frequency, TrainingHook hook) {
    this(workers, batchSize, frequency, List.of(Objects.requireNonNull(hook, "hook")));
  }

  private StiefelTrainingMaster(
      int workers, int batchSize, int frequency, List<TrainingHook> hooks) {
    super(
        new Builder(workers, batchSize)
            .batchSizePerWorker(batchSize)
            .averagingFrequency(frequency)
            .workerPrefetchNumBatches(0)
            .repartionData(Repartition.Never)
            .rddTrainingApproach(RDDTrainingApproach.Direct)
            .saveUpdater(true)
            .trainingHooks(hooks));
  }

  /**
   * One round: the workers go on from the present parameters, and are averaged.
   *
   * @param net the network, which is changed
   * @param batches a partition for each worker, with at most as many batches as are between
   *     averagings
   * @param steps how many batches a worker has
   */
  void round(SparkComputationGraph net, JavaRDD<MultiDataSet> batches, int steps) {
    ComputationGraphConfiguration counts = net.getNetwork().getConfiguration();
    int before = counts.getIterationCount();
    doIteration(net, batches, 1, 1);
    counts.setIterationCount(before + steps); // the last round of an epoch may have fewer
  }

  @Override
  public ParameterAveragingTrainingWorker getWorkerInstance(SparkComputationGraph graph) {
    ComputationGraph net = graph.getNetwork();
    NetBroadcastTuple tuple =
        new NetBroadcastTuple(
            net.getConfiguration(), net.params(), net.getUpdater().getStateViewArray());
    WorkerConfiguration configuration =
        new WorkerConfiguration(
            true,
            rddDataSetNumExamples,
            batchSizePerWorker,
            averagingFrequency,
            prefetchNumBatches,
            collectTrainingStats);
    return new CountingWorker(
        graph.getSparkContext().broadcast(tuple), configuration, trainingHookList, net);
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

  /**
   * DL4J's worker, with a network that goes on counting its steps. DL4J's own begins with 0 in
   * every round, because a clone of a graph's configuration forgets its counts; Adam, which
   * corrects its averages by the count, then takes every round for the first.
   */
  private static final class CountingWorker extends ParameterAveragingTrainingWorker {

    private static final long serialVersionUID = 1L;

    private final int iteration;
    private final int epoch;

    CountingWorker(
        Broadcast<NetBroadcastTuple> sent,
        WorkerConfiguration configuration,
        Collection<TrainingHook> hooks,
        ComputationGraph net) {
      super(sent, true, configuration, hooks, null, null);
      this.iteration = net.getIterationCount();
      this.epoch = net.getEpochCount();
    }

    @Override
    public ComputationGraph getInitialModelGraph() {
      ComputationGraph net = super.getInitialModelGraph();
      ComputationGraphConfiguration counts = net.getConfiguration();
      counts.setIterationCount(iteration);
      counts.setEpochCount(epoch);
      return net;
    }
  }
}
