/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.spark;

import io.github.spd4j.acceleration.Acceleration;
import io.github.spd4j.acceleration.Precision;
import io.github.spd4j.internal.engine.OutputListener;
import io.github.spd4j.linalg.NotFiniteException;
import io.github.spd4j.train.engine.TrainingPass;
import io.github.spd4j.train.progress.LossAndAccuracy;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.util.DoubleAccumulator;
import org.apache.spark.util.LongAccumulator;
import org.deeplearning4j.nn.api.Model;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.spark.api.TrainingHook;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.dataset.api.DataSet;
import org.nd4j.linalg.dataset.api.MultiDataSet;

/**
 * Adds up, over all executors, what the networks made of batches before they were trained on them.
 */
final class LossAndAccuracyHook implements TrainingHook {

  private static final long serialVersionUID = 1L;

  private final LongAccumulator images;
  private final LongAccumulator right;
  private final DoubleAccumulator loss;
  private final boolean accelerated;
  private final Precision precision;

  LossAndAccuracyHook(JavaSparkContext spark, ComputationGraph net) {
    this.images = spark.sc().longAccumulator();
    this.right = spark.sc().longAccumulator();
    this.loss = spark.sc().doubleAccumulator();
    this.accelerated = Acceleration.isAppliedTo(net);
    this.precision = Acceleration.precisionOf(net);
  }

  int images() {
    return images.value().intValue();
  }

  /** Reports what was added up, and begins anew. */
  void reportTo(TrainingPass pass) {
    pass.report(images(), right.value().intValue(), loss.value());
    images.reset();
    right.reset();
    loss.reset();
  }

  private void add(INDArray probabilities, int[] labels) {
    LossAndAccuracy batch = new LossAndAccuracy();
    batch.add(probabilities, labels);
    images.add(batch.images());
    right.add(batch.right());
    loss.add(batch.totalLoss());
  }

  @Override
  public void preUpdate(MultiDataSet minibatch, Model model) {
    ComputationGraph net = (ComputationGraph) model;
    if (accelerated) {
      Acceleration.applyTo(net, precision);
    }
    int[] labels = minibatch.getLabels(0).argMax(1).toIntVector();
    net.setListeners(new OutputListener(output -> add(output, labels)));
  }

  @Override
  public void postUpdate(MultiDataSet minibatch, Model model) {
    ComputationGraph net = (ComputationGraph) model;
    net.setListeners();
    if (!Double.isFinite(net.score())) {
      throw new NotFiniteException("got NaN or infinity: the loss of a batch is " + net.score());
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
}
