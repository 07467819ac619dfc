/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.spark;

import java.util.Collection;
import org.apache.spark.broadcast.Broadcast;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.spark.api.TrainingHook;
import org.deeplearning4j.spark.api.WorkerConfiguration;
import org.deeplearning4j.spark.api.worker.NetBroadcastTuple;
import org.deeplearning4j.spark.impl.paramavg.ParameterAveragingTrainingWorker;

/**
 * DL4J's worker, with a network that goes on counting its steps. DL4J's own begins with 0 in every
 * round, because a clone of a graph's configuration forgets its counts; Adam, which corrects its
 * averages by the count, then takes every round for the first.
 */
final class CountingWorker extends ParameterAveragingTrainingWorker {

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
