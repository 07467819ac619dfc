/*
 * Copyright the spd-dl4j-layers authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.github.spd4j.train;

import io.github.spd4j.linalg.NotFiniteException;
import io.github.spd4j.train.engine.Batches;
import io.github.spd4j.train.engine.Seeds;
import io.github.spd4j.train.engine.TrainingEngine;
import io.github.spd4j.train.engine.TrainingPass;
import io.github.spd4j.train.plan.LayerGroup;
import io.github.spd4j.train.plan.Stage;
import io.github.spd4j.train.progress.EpochRecord;
import io.github.spd4j.train.progress.LossAndAccuracy;
import io.github.spd4j.train.progress.TrainingProgress;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.IntStream;
import org.deeplearning4j.nn.graph.ComputationGraph;
import org.deeplearning4j.optimize.api.TrainingListener;
import org.nd4j.linalg.api.ndarray.INDArray;
import org.nd4j.linalg.factory.Nd4j;

/** One pass over the training images, followed by validation. */
final class Epoch {

  private final ComputationGraph net;
  private final Stage stage;
  private final TrainingEngine learning;
  private final Batches training;
  private final Batches validation;
  private final ClassifierFit classifier;
  private final int batchSize;
  private final TrainingProgress progress;

  private final LossAndAccuracy learnt = new LossAndAccuracy();
  private final LossAndAccuracy validated = new LossAndAccuracy();
  private String failure;

  Epoch(
      ComputationGraph net,
      Stage stage,
      TrainingEngine learning,
      Batches training,
      Batches validation,
      ClassifierFit classifier,
      int batchSize,
      TrainingProgress progress) {
    this.net = net;
    this.stage = stage;
    this.learning = learning;
    this.training = training;
    this.validation = validation;
    this.classifier = classifier;
    this.batchSize = batchSize;
    this.progress = progress;
  }

  /**
   * Runs the epoch. Numbers that are not finite end it.
   *
   * @param seed the seed of everything random in it
   */
  void run(long seed) {
    Nd4j.getRandom().setSeed(seed); // dropout and the like draw from there
    try {
      learn(seed);
      validate();
    } catch (NotFiniteException | ArithmeticException e) { // or no retraction, no eigenvalues
      failure = e.getMessage();
      net.clear();
    }
  }

  /** Fits the classifier and validates; nothing else is learnt. */
  void fitOnly() {
    classifier.fitTo(Seeds.order(training.size(), 0));
    validate();
  }

  /** The loss of the first batch, before anything was learnt; NaN if it was not a number. */
  double firstLoss() {
    return learnt.firstLoss();
  }

  /** What broke the epoch off, or null. */
  String failure() {
    return failure;
  }

  EpochRecord record(int number, Map<LayerGroup, Double> rates, double seconds) {
    return new EpochRecord(
        stage,
        number,
        learnt.loss(),
        learnt.accuracy(),
        validated.loss(),
        validated.accuracy(),
        rates,
        seconds,
        null);
  }

  private void learn(long seed) {
    TrainingListener[] listeners = net.getListeners().toArray(new TrainingListener[0]);
    Arrays.stream(listeners).forEach(listener -> listener.onEpochStart(net));
    int[] order = Seeds.order(training.size(), seed);
    if (classifier.isThroughout()) {
      crossFitted(order, seed);
    } else {
      steps(order, seed);
    }
    Arrays.stream(listeners).forEach(listener -> listener.onEpochEnd(net));
    net.incrementEpochCount();
  }

  /**
   * Each half of the images with a classifier fitted to the other half: what the head learns from
   * them is then what is right for images that the classifier has not seen.
   */
  private void crossFitted(int[] order, long seed) {
    int[] first = Arrays.copyOfRange(order, 0, order.length / 2);
    int[] second = Arrays.copyOfRange(order, order.length / 2, order.length);
    classifier.fitTo(second);
    steps(first, seed);
    classifier.fitTo(first);
    steps(second, seed);
    classifier.fitTo(order);
  }

  private void steps(int[] order, long seed) {
    TrainingPass lesson =
        new TrainingPass(stage, training, order, batchSize, seed, learnt, progress);
    learning.learn(net, lesson);
  }

  /** Measures the network as it is. */
  LossAndAccuracy validate() {
    for (int start = 0; start < validation.size(); start += batchSize) {
      int end = Math.min(validation.size(), start + batchSize);
      int[] indices = IntStream.range(start, end).toArray();
      INDArray output = net.output(false, validation.inputs(indices, 0))[0];
      validated.add(output, labels(validation, indices));
    }
    return validated;
  }

  private static int[] labels(Batches batches, int[] indices) {
    return Arrays.stream(indices).map(batches::label).toArray();
  }
}
