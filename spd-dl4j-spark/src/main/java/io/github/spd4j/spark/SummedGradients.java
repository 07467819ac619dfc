/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.spark;

import io.github.spd4j.internal.spark.BroadcastObject;
import java.io.Serializable;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration;
import org.deeplearning4j.nn.gradient.DefaultGradient;
import org.deeplearning4j.nn.gradient.Gradient;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.updater.UpdaterBlock;
import org.deeplearning4j.nn.updater.UpdaterBlock.ParamState;
import org.deeplearning4j.nn.updater.graph.ComputationGraphUpdater;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.api.MultiDataSet;

/**
 * Every worker computes the gradient of its share of one batch; the driver adds them up and makes
 * the step. The updaters see what they would see on one machine, and W never leaves the manifold.
 *
 * <p>A worker receives the parameters and sends as many numbers back. Its network is made once.
 */
final class SummedGradients implements DistributedSteps {

  private final JavaSparkContext spark;
  private final ComputationGraph net;
  private final LossAndAccuracyHook hook;
  private final BroadcastObject<ComputationGraph> copies;

  SummedGradients(JavaSparkContext spark, ComputationGraph net, LossAndAccuracyHook hook) {
    this.spark = spark;
    this.net = net;
    this.hook = hook;
    this.copies = BroadcastObject.of(spark, net);
  }

  @Override
  public void run(JavaRDD<MultiDataSet> batches, int images) {
    Broadcast<INDArray> parameters = spark.broadcast(net.params());
    Task task = new Task(copies, parameters, hook, net);
    try {
      INDArray sum = batches.map(task::gradient).treeReduce(INDArray::addi);
      step(sum, batches.getNumPartitions(), images);
    } finally {
      parameters.destroy();
    }
  }

  /** What DL4J does with the gradient of a batch. */
  private void step(INDArray sum, int workers, int images) {
    ComputationGraphUpdater updater = net.getUpdater();
    INDArray flat = updater.getFlattenedGradientsView();
    flat.assign(sum.reshape(flat.shape()));
    Gradient gradient = new DefaultGradient(flat);
    for (UpdaterBlock block : updater.getUpdaterBlocks()) {
      for (ParamState state : block.getLayersAndVariablesInBlock()) {
        String layer = state.getLayer().getConfig().getLayerName();
        gradient.setGradientFor(layer + "_" + state.getParamName(), state.getGradView());
        if (!state.getLayer().updaterDivideByMinibatch(state.getParamName())) {
          state.getGradView().divi(workers); // not a sum over images: running means, for example
        }
      }
    }
    ComputationGraphConfiguration counts = net.getConfiguration();
    int iteration = counts.getIterationCount();
    int epoch = counts.getEpochCount();
    updater.update(gradient, iteration, epoch, images, LayerWorkspaceMgr.noWorkspaces());
    net.params().subi(flat.reshape(net.params().shape()));
    counts.setIterationCount(iteration + 1);
    net.applyConstraints(iteration + 1, epoch);
  }

  @Override
  public void close() {
    copies.discard();
  }

  /** What a worker does. */
  private static final class Task implements Serializable {
    private static final long serialVersionUID = 1L;

    private final BroadcastObject<ComputationGraph> copies;
    private final Broadcast<INDArray> parameters;
    private final LossAndAccuracyHook hook;
    private final int iteration;
    private final int epoch;

    Task(
        BroadcastObject<ComputationGraph> copies,
        Broadcast<INDArray> parameters,
        LossAndAccuracyHook hook,
        ComputationGraph net) {
      this.copies = copies;
      this.parameters = parameters;
      this.hook = hook;
      this.iteration = net.getIterationCount();
      this.epoch = net.getEpochCount();
    }

    /** The sum of the gradients of a share's images. */
    INDArray gradient(MultiDataSet share) throws Exception {
      ComputationGraph own = copies.get();
      own.params().assign(parameters.value());
      own.getConfiguration().setIterationCount(iteration);
      own.getConfiguration().setEpochCount(epoch);
      hook.preUpdate(share, own);
      own.setInputs(share.getFeatures());
      own.setLabels(share.getLabels());
      own.computeGradientAndScore();
      hook.postUpdate(share, own);
      return own.getGradientsViewArray().dup();
    }
  }
}
