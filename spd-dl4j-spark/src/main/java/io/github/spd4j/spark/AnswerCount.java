/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.spark;

import io.github.spd4j.acceleration.Acceleration;
import io.github.spd4j.linalg.NotFiniteException;
import io.github.spd4j.train.progress.LossAndAccuracy;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.util.DoubleAccumulator;
import org.apache.spark.util.LongAccumulator;
import org.deeplearning4j.nn.api.Model;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.nn.workspace.LayerWorkspaceMgr;
import org.deeplearning4j.optimize.api.BaseTrainingListener;
import org.deeplearning4j.spark.api.TrainingHook;
import org.nd4j.linalg.dataset.api.DataSet;
import org.nd4j.linalg.dataset.api.MultiDataSet;

/** Adds up, over all executors, what the networks said to batches before they learnt from them. */
final class AnswerCount implements TrainingHook {

  private static final long serialVersionUID = 1L;

  private final LongAccumulator images;
  private final LongAccumulator right;
  private final DoubleAccumulator loss;
  private final boolean accelerated;

  AnswerCount(JavaSparkContext spark, boolean accelerated) {
    this.images = spark.sc().longAccumulator();
    this.right = spark.sc().longAccumulator();
    this.loss = spark.sc().doubleAccumulator();
    this.accelerated = accelerated;
  }

  int images() {
    return images.value().intValue();
  }

  int right() {
    return right.value().intValue();
  }

  double loss() {
    return loss.value();
  }

  void reset() {
    images.reset();
    right.reset();
    loss.reset();
  }

  @Override
  public void preUpdate(MultiDataSet minibatch, Model model) {
    ComputationGraph net = (ComputationGraph) model;
    if (accelerated) {
      Acceleration.applyTo(net);
    }
    net.setListeners(new Meter(net, minibatch.getLabels(0).argMax(1).toIntVector()));
  }

  @Override
  public void postUpdate(MultiDataSet minibatch, Model model) {
    ComputationGraph net = (ComputationGraph) model;
    net.setListeners();
    if (!Double.isFinite(net.score())) {
      throw new NotFiniteException("the loss of a batch is " + net.score());
    }
  }

  @Override
  public void preUpdate(DataSet minibatch, Model model) {
    preUpdate(minibatch.toMultiDataSet(), model);
  }

  @Override
  public void postUpdate(DataSet minibatch, Model model) {
    postUpdate(minibatch.toMultiDataSet(), model);
  }

  /** Asks the output layer again while it still has its input. */
  private final class Meter extends BaseTrainingListener {
    private final ComputationGraph net;
    private final int[] labels;

    Meter(ComputationGraph net, int[] labels) {
      this.net = net;
      this.labels = labels;
    }

    @Override
    public void onBackwardPass(Model model) {
      LossAndAccuracy figures = new LossAndAccuracy();
      figures.add(net.getOutputLayer(0).activate(false, LayerWorkspaceMgr.noWorkspaces()), labels);
      images.add(figures.images());
      right.add(figures.right());
      loss.add(figures.totalLoss());
    }
  }
}
